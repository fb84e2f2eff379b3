"""Removed blocks and the orders that make them sound, as sea-format(5) says; and with that, what all blocks together come to."""
import sea_clock
from sea_members import Epochs, Lines, entitled

FREELY = 16  # rounds in which what was taken as sound may come and go

class Order:
    """A purge entry and the block that it stands in."""

    def __init__(self, block, said):
        self.block, self.author, header = block, block.instance, said["header"]
        self.instance, self.digest = said["instance"], said["digest"]
        self.place = header[8:12], header[12:16], header[16:48]
        self.heads = [tuple(one) for one in said["heads"]]
        self.changes = [tuple(one) for one in said["changes"]]

    def names(self, b):
        return (b.instance.bytes, b.hash) == (self.instance, self.digest) \
            and (b.index.to_bytes(4, "big"), b.lamport.to_bytes(4, "big"), b.previous) == self.place

class Whole:
    """What follows from all verified blocks of a database.

    After it: `clean`, the blocks with nothing unsound before them; `unsound`, those of the removed blocks that are damage; `earned`
    and `wrong`, as (instance, hash); `counting`, the blocks that are applied but for their own problems; `members`; `epochs`."""

    def __init__(self, proof, blocks, given=()):
        self.proof, self.blocks, self.given = proof, blocks, given
        self.by_hash = {(b.instance.bytes, b.hash): b for b in blocks}
        self.lines = Lines(blocks)
        removed = [b for b in blocks if b.removed]
        orders = [Order(b, said) for b in blocks if not b.payload.problem for said in b.payload.controls.values() if said["control"] == "purge"]
        self.settle(removed, orders)
        # Of one that a clear list names in a block whose key is not here, nobody knows.
        hidden = {(who, index, hash) for b in blocks if b.payload.problem == "no-key" for who, index, hash in b.listed}
        self.unsound = [b for b in removed if (b.instance.bytes, b.hash) not in self.orders and (b.instance.bytes, b.index, b.hash) not in hidden]

    def settle(self, removed, orders):
        """Finds the removed blocks that are sound: by the standing that they lead to, the orders for them count, and no others do."""
        naming = {}
        for order in orders:
            place = order.instance, order.digest
            target = self.by_hash.get(place)
            if target and target.removed and order.names(target):
                naming.setdefault(place, []).append(order)
        # What they name is not known at first.
        self.orders, before, aside, rounds = {}, dict.fromkeys(naming), set(), 0
        while True:
            for b in removed:
                order = before.get((b.instance.bytes, b.hash))
                b.heads = order.heads if order else None
            self.work_out(before)
            if rounds < FREELY:
                found = {place: min(good, key=lambda one: one.block.hash) for place, some in naming.items()
                         if (good := [one for one in some if one not in aside and self.counts(one)])}
            else:
                found = {place: one for place, one in before.items() if one not in aside and self.counts(one)}
            if found == before:
                fallen = {one for one in found.values() if not self.stands(one)}
                if not fallen:
                    break
                aside |= fallen
            before, rounds = found, rounds + 1
        self.orders = found

    def work_out(self, sound):
        """Clocks and standing from the blocks that have no removed block before them but sound ones."""
        bad, children, stack, self.spoilt = set(), {}, [], set()
        for place, b in self.by_hash.items():
            if b.index:
                children.setdefault((place[0], b.previous), []).append(place)
            if b.removed and place not in sound:
                stack.append(place)
        while stack:
            place = stack.pop()
            if place not in bad:
                bad.add(place)
                stack += children.get(place, ())
        self.clean = [b for b in self.blocks if (b.instance.bytes, b.hash) not in bad]
        self.earned, self.wrong = sea_clock.judge(self.clean, self.given)
        stack = list(self.wrong)
        while stack:
            place = stack.pop()
            if place not in self.spoilt:
                self.spoilt.add(place)
                stack += children.get(place, ())
        times = sea_clock.proven([*self.clean, *self.given])
        for b in self.clean:
            b.time = times[b.instance.bytes, b.hash]
        self.counting, self.members = entitled(self.proof, self.clean, self.wrong, self.blocks)
        right = [b for b in self.clean if (b.instance.bytes, b.hash) not in self.wrong]
        self.epochs = Epochs(right, self.members, self.proof and self.proof.first)

    def counts(self, order):
        if (order.author.bytes, order.block.hash) in self.spoilt:
            return False
        own = order.author.bytes == order.instance or order.instance in (one.bytes for one in self.lines.predecessors(order.author))
        if not self.members:
            return own
        if self.members.is_held(order.block, through=True) or not self.members.hears(order.block, through=True):
            return False
        if own:
            return True
        other = next((b.instance for b in self.blocks if b.instance.bytes == order.instance), None)
        return other is not None and self.members.rank(order.author) < self.members.rank(other) and self.members.has_authority(order.block, through=True)

    def stands(self, order):
        """Whether an order counts where nothing leads through removed blocks that are not sound."""
        if not any(b is order.block for b in self.clean):
            return False
        if not self.members:
            return True
        line = {order.author.bytes, *(one.bytes for one in self.lines.predecessors(order.author))}
        return not self.members.is_held(order.block) and self.members.hears(order.block) and (order.instance in line or self.members.has_authority(order.block))
