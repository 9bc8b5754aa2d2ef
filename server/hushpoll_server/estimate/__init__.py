"""From counts to figures: numbers in, frozen results out. Independent of web, database and mechanisms."""
