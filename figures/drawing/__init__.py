"""What all figures share: style, colours, words, places and files."""
