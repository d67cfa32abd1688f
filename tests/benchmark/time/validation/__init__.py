"""The parts of validate.py."""
