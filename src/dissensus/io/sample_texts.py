"""Readable texts for the generated collection, with a planted bias of length and of overlap with the query.

A document of grade 3 answers the topic, one of grade 2 touches it, one of grade 1 is about the same thing from another
side, one of grade 0 about something else. How long a text is (50 to 300 words) and how often it repeats words of the
query does not depend on the grade, but on how much it reads like generated prose, which is what the generated LLM judge
likes too much: so it seems to favour long texts and texts that repeat the query, as real ones do.

    >>> topic = topic_text(0)
    >>> topic.query
    'urban beekeeping cost'
    >>> text = document_text(topic, grade=3, prose=0.0, rng=np.random.default_rng(1))
    >>> 50 <= len(text["text"].split()) <= 300
    True
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SUBJECTS = (
    "urban beekeeping", "heat pumps", "sourdough baking", "night trains", "rooftop gardens", "electric bicycles",
    "coral reefs", "remote schooling", "rainwater harvesting", "wooden skyscrapers", "river restoration",
    "community radio", "vertical farming", "tidal power", "book repair", "allotment gardens", "sign language",
    "peat bogs", "cargo drones", "choir singing", "wild swimming", "street markets", "solar cookers", "bird migration",
    "cycle lanes",
)  # fmt: skip
ASPECTS = ("cost", "safety", "history", "maintenance", "effect on health", "regulation", "energy use", "training")
PLACES = ("Lisbon", "Gdańsk", "Montréal", "Osaka", "Leeds", "Utrecht", "Nairobi", "Porto", "Tampere", "Graz")
PEOPLE = ("a city engineer", "two volunteers", "a retired teacher", "the local council", "a doctoral student",
          "a family of four", "the cooperative", "an independent auditor")  # fmt: skip
ANSWERS = (
    "In {place}, {people} measured the {aspect} of {subject} over {n} months and published every figure.",
    "The {aspect} of {subject} fell by {n} percent after the second year, mostly because of better planning.",
    "Three things decide the {aspect} of {subject}: the site, the season and the people who look after it.",
    "{people} in {place} compared {n} projects and found that {aspect} explains most of the difference between them.",
    "A table at the end lists the {aspect} of {subject} for each of the {n} cases.",
)
PARTS = (
    "One paragraph mentions the {aspect} of {subject} in passing, without any figure.",
    "According to {people} from {place}, {aspect} matters, but the text does not tell how much.",
    "The report promises a chapter on {aspect}, which has not appeared yet.",
)
NEARBY = (
    "The story of {subject} in {place} is a long one, and {people} wrote it down.",
    "A photo series shows {subject} in {place} in all four seasons.",
    "{people} began with {subject} after a visit to {place} {n} years ago.",
    "There are now {n} groups that meet every month to talk about {subject}.",
)
ELSEWHERE = (
    "The market in {place} opens at seven, and {people} came first that day.",
    "Last winter {people} moved the archive to {place}, where it fills {n} shelves.",
    "The ferry to {place} was late by {n} minutes, which surprised no passenger.",
    "{people} repaired the old bridge with {n} new planks.",
    "A short walk from the station of {place} leads to a quiet square with {n} lime trees.",
)
PROSE = (
    "It is worth noting that this is a rich and multifaceted question with many important considerations.",
    "In conclusion, a thoughtful and balanced approach can help all stakeholders to reach their goals.",
    "Overall, there are several key factors that one should keep in mind at every step of the journey.",
)
ECHO = "Readers who search for {query} often ask the same question about {query}."


@dataclass(frozen=True)
class Topic:
    """A topic in words."""

    query: str
    description: str
    narrative: str
    subject: str
    aspect: str


def topic_text(number: int) -> Topic:
    """The topic with this number, counted from 0; after two hundred they come again."""
    subject = SUBJECTS[number % len(SUBJECTS)]
    aspect = ASPECTS[(number // len(SUBJECTS) + number) % len(ASPECTS)]
    return Topic(
        f"{subject} {aspect}",
        f"What is known about the {aspect} of {subject}?",
        f"A relevant document gives facts about the {aspect} of {subject}. Documents about {subject} in general are "
        f"related; a passing mention of {aspect} is not enough for the highest grade.",
        subject,
        aspect,
    )


def document_text(topic: Topic, grade: int, prose: float, rng: np.random.Generator) -> dict[str, str]:
    """{"title", "text"} of a document; `prose` is 0 for plain texts and grows with how much they read as generated."""
    numbers = iter(rng.random(400).tolist())

    def one_of(words: tuple[str, ...]) -> str:
        return words[int(next(numbers) * len(words))]

    place, people = one_of(PLACES), one_of(PEOPLE)
    subject = topic.subject if grade else one_of(tuple(s for s in SUBJECTS if s != topic.subject))
    title = {3: f"The {topic.aspect} of {subject} in {place}", 2: f"{subject} in {place}, with notes on {topic.aspect}",
             1: f"{subject} in {place}", 0: f"Notes from {place}"}[grade]  # fmt: skip
    wanted = int(np.clip(70 + 110 * prose + rng.normal(0, 25), 55, 290))
    own = {3: ANSWERS, 2: PARTS + NEARBY[:1], 1: NEARBY, 0: ELSEWHERE}[grade]
    rest = ELSEWHERE + (NEARBY if grade else ())
    sentences: list[str] = []
    words, last = 0, ""
    while words < wanted:
        about = own if len(sentences) < 3 else rest
        if next(numbers) < min(0.15 * prose, 0.4):
            about = PROSE
        elif next(numbers) < min(0.12 * prose, 0.4):
            about = (ECHO,)
        pattern = one_of(tuple(p for p in about if p != last) or about)
        sentence = pattern.format(
            place=place, people=people, subject=subject, aspect=topic.aspect, n=3 + int(next(numbers) * 87),
            query=topic.query,
        )  # fmt: skip
        words += len(sentence.split())
        if words > 300:
            break
        sentences.append(sentence[0].upper() + sentence[1:])
        place, people, last = one_of(PLACES), one_of(PEOPLE), pattern
    half = (len(sentences) + 1) // 2
    text = " ".join(sentences[:half]) + ("\n\n" + " ".join(sentences[half:]) if sentences[half:] else "")
    return {"title": title[0].upper() + title[1:], "text": text}
