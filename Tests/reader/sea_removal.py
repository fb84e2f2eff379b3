"""Removed blocks and the orders that make them sound, as sea-format(5) says; and with that, what all blocks together come to."""
import sea_clock
from sea_members import Epochs, Lines, entitled

class Order:
    """A purge entry and the block that it stands in."""

    def __init__(self, block, said):
        self.block, self.author = block, block.instance
        self.place = said["instance"], said["index"], said["digest"]
        self.instance = said["instance"]
        self.changes = [tuple(one) for one in said["changes"]]

class Whole:
    """What follows from all verified blocks of a database.

    After it: `earned` and `wrong`, as (instance, hash); `orders`, of each removed block that is sound the order for it; `unsound`, those
    that are damage; `clean`, the blocks without these; `counting`, the blocks that are applied but for their own problems; `members`;
    `epochs`."""

    def __init__(self, proof, blocks, given=()):
        self.lines = Lines(blocks)
        orders = [Order(b, said) for b in blocks if not b.payload.problem for said in b.payload.controls.values() if said["control"] == "purge"]
        removed = {(b.instance.bytes, b.index, b.hash): b for b in blocks if b.removed}
        self.earned, self.wrong = sea_clock.judge(blocks, given)
        times = sea_clock.proven([*blocks, *given])
        for b in blocks:
            b.time = times[b.instance.bytes, b.hash]
        self.counting, self.members = entitled(proof, blocks, self.wrong)
        self.epochs = Epochs([b for b in blocks if (b.instance.bytes, b.hash) not in self.wrong], self.members, proof and proof.first)
        self.instances, self.orders = {b.instance.bytes: b.instance for b in blocks}, {}
        for order in sorted(orders, key=lambda one: one.block.hash):
            if order.place in removed and self.counts(order):
                self.orders.setdefault((order.instance, order.place[2]), order)
        # Of one that a clear list names in a block whose key is not here, nobody knows.
        hidden = {row for b in blocks if b.payload.problem == "no-key" for row in b.listed}
        lost = {place: b for place, b in removed.items() if (place[0], place[2]) not in self.orders}
        self.unsound = [b for place, b in lost.items() if place not in hidden]
        gone = {id(b) for b in blocks if (b.instance.bytes, b.index, b.hash) in lost}
        self.clean = [b for b in blocks if id(b) not in gone]
        self.counting = [b for b in self.counting if id(b) not in gone]

    def counts(self, order):
        if (order.author.bytes, order.block.hash) in self.wrong:
            return False
        own = order.author.bytes == order.instance or order.instance in (one.bytes for one in self.lines.predecessors(order.author))
        if not self.members:
            return own
        if self.members.is_held(order.block) or not self.members.hears(order.block):
            return False
        other = self.instances.get(order.instance)
        return own or other is not None and self.members.rank(order.author) < self.members.rank(other) and self.members.has_authority(order.block)
