// Nothing to import: the library starts by itself.
