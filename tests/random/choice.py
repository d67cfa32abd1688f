"""Which operation comes next: at random, or with a leaning to those that earlier runs had least of."""

import collections

import known
import operations as O

ENOUGH = 100  # of a cell


class Chooser:
    """`counts`: (operation, type) to how often there was one; rare ones are taken more often."""

    def __init__(self, random, counts=None):
        self.random, self.counts = random, counts
        self.by_result = collections.defaultdict(lambda: collections.defaultdict(list))
        for operation in O.TABLE:
            if known.skipped(operation):
                continue
            self.by_result[operation.result][operation.name.split(":")[0]].append(operation)

    def pick(self, T, among=None, ending=""):
        """An operation that gives T; `among`: only those whose operands are of these types; `ending`: of its cell."""
        groups = self.by_result[T]
        if among is not None:
            groups = {name: [o for o in found if set(o.types) <= among] for name, found in groups.items()}
            groups = {name: found for name, found in groups.items() if found}
        names = sorted(groups)
        found = [
            self.random.choice(groups[self.random.choice(names)]) for _ in range(12 if self.counts is not None else 1)
        ]
        if self.counts is None:
            return found[0]
        return min(found, key=lambda operation: self.count(operation, ending))

    def count(self, operation, ending=""):
        name, type = O.cell(operation)
        return (self.counts or {}).get((name + ending, type), 0)

    def missing(self, ending="", allowed=lambda operation: True):
        """How many operations it takes until there are enough of each."""
        operations = (o for group in self.by_result.values() for found in group.values() for o in found if allowed(o))
        kinds = {O.cell(operation): operation for operation in operations}
        return sum(max(0, ENOUGH - self.count(operation, ending)) for operation in kinds.values())

    def rarest(self, number, ending="", allowed=lambda operation: True):
        """So many operations: any or, with counts, of those that there were too few of, or least of."""
        operations = [o for group in self.by_result.values() for found in group.values() for o in found if allowed(o)]
        self.random.shuffle(operations)
        operations.sort(key=lambda operation: self.count(operation, ending))
        few = sum(1 for operation in operations if self.count(operation, ending) < ENOUGH)
        return self.random.sample(operations[: max(few, 8 * number)], number)
