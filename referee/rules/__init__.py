"""The rules of Spit as data and pure questions: rule sets, legality, stuck, deals, and the rules in plain sentences."""
