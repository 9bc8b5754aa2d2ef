"""Many reports at once, with NumPy: randomizing for simulations and gateways, counting for big files.

No Flask, no database. Each function has the same law of distribution as the draws of the client, byte for byte it is
another program: speed comes from drawing for many reports at a time.
"""
