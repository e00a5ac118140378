"""`python -m referee` is the command line."""

from referee.cli import main

if __name__ == "__main__":
    main()
