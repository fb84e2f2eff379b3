"""Removed blocks and the orders that make them sound, as sea-format(5) says; and with that, what all blocks together come to."""
import sea_clock
from sea_members import Epochs, entitled

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
        removed = [b for b in blocks if b.removed]
        orders = [Order(b, said) for b in blocks if not b.payload.problem for said in b.payload.controls.values() if said["control"] == "purge"]
        sound, self.orders = set(), {}
        self.work_out(sound)
        while removed:
            more = False
            for order in orders:
                target = self.by_hash.get((order.instance, order.digest))
                if target and target.removed and order.names(target) and self.counts(order):
                    place = order.instance, order.digest
                    before = self.orders.get(place)
                    if before is None or order.block.hash < before.block.hash:
                        self.orders[place], more = order, True
                        target.heads = order.heads
                    sound.add(place)
            if not more:
                break
            self.work_out(sound)
        # Of one that a clear list names in a block whose key is not here, nobody knows.
        hidden = {(who, index, hash) for b in blocks if b.payload.problem == "no-key" for who, index, hash in b.listed}
        self.unsound = [b for b in removed if (b.instance.bytes, b.hash) not in sound and (b.instance.bytes, b.index, b.hash) not in hidden]

    def work_out(self, sound):
        """Clocks and standing from the blocks that have no removed block before them but sound ones."""
        bad, children, stack = set(), {}, []
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
        times = sea_clock.proven([*self.clean, *self.given])
        for b in self.clean:
            b.time = times[b.instance.bytes, b.hash]
        self.counting, self.members = entitled(self.proof, self.clean, self.wrong, self.blocks)
        applied = [b for b in self.counting if (b.instance.bytes, b.hash) not in self.wrong]
        self.epochs = Epochs(applied, self.members)

    def counts(self, order):
        place = order.author.bytes, order.block.hash
        if place in self.wrong:
            return False
        if not self.members:
            return order.author.bytes == order.instance
        if not self.members.entitled(order.block, through=True):
            return False
        if order.author.bytes == order.instance:
            return True
        other = next((b.instance for b in self.blocks if b.instance.bytes == order.instance), None)
        return other is not None and self.members.rank(order.author) < self.members.rank(other) and self.members.has_authority(order.block, through=True)
