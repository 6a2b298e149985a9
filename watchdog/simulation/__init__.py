"""The same core on a virtual clock with fake hands. No rule of the product is written here again."""
