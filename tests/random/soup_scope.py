"""What a statement of soup.py may do where it stands."""


class Scope:
    def __init__(self, outer=None, **changes):
        self.variables = dict(outer.variables) if outer else {}  # name: type
        self.assigned = set(outer.assigned) if outer else set()  # those that may be assigned again
        self.whole = outer.whole if outer else False  # all lanes of each wave are here
        self.block = outer.block if outer else False  # all waves of the workgroup are here
        self.loop = outer.loop if outer else False  # `break` and `continue` have a loop
        self.leaves = outer.leaves if outer else True  # `return` is allowed
        self.gives = outer.gives if outer else None  # in a function: the type of what it returns
        self.depth = outer.depth + 1 if outer else 0
        vars(self).update(changes)
