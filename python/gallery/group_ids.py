"""Group ids by hash: sums by a key of 64 bits, without sorting, and a look-up of other rows among the groups."""

import sys

import numpy as np

from boscage.hashing import HashMap, factorize


def main(picture="group_ids.png", n=200_000):
    rng = np.random.default_rng(4)
    customers = rng.integers(1, 2**62, n // 50)
    orders = customers[np.minimum(rng.geometric(8 / len(customers), n) - 1, len(customers) - 1)]
    paid = rng.gamma(2, 15, n)

    group, known = factorize(orders)  # a number for each customer, in the order of their first orders
    total = np.bincount(group, paid)
    account = HashMap(known, total)
    asked = np.concatenate([known[:3], [7]])
    print(f"{n} orders by {len(known)} customers; the first three paid {total[:3].round(2).tolist()}")
    assert (account.get(asked, -1) == [*total[:3], -1]).all()

    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4))
    axes.plot(np.sort(total)[::-1].cumsum() / total.sum())
    axes.set(xlabel="customers, the largest first", ylabel="share of what was paid")
    figure.savefig(picture, dpi=110, bbox_inches="tight")
    return group, known, orders


if __name__ == "__main__":
    main(*sys.argv[1:2])
