"""Lamport times that are earned, as sea-format(5) says: which blocks raise clocks, and which are bad-lamport."""

LAST = 2**32 - 1

def follows(before, heads):
    """The Lamport time of a block, from those of the block before it and of the heads that it names."""
    return min(LAST, 1 + max([before, *heads]))

def judge(blocks, given=()):
    """The blocks that are earned, and those that are bad-lamport, by (instance, hash); those that are given are earned.

    A block has instance, index, lamport, hash, previous and heads; heads are None where they cannot be read. Those of a removed block are
    what orders claim: those of them count that are earned and earlier, and the block is never bad-lamport."""
    known = {(b.instance.bytes, b.hash): b for b in blocks}
    earned, wrong, waiting, behind, ready = set(), set(), {}, {}, []
    known |= {(b.instance.bytes, b.hash): b for b in given}
    earned.update((b.instance.bytes, b.hash) for b in given)
    for place, b in known.items():
        if b.heads is None or place in earned:
            continue
        needed = {} if is_removed(b) else {(one[0], one[2]): one[1] for one in b.heads}
        if b.index:
            needed[place[0], b.previous] = b.index - 1
        if any(one not in known or known[one].index != index for one, index in needed.items()):
            continue
        waiting[place] = set(needed) - earned
        for one in {*waiting[place], *((one[0], one[2]) for one in b.heads)}:
            behind.setdefault(one, []).append(place)
        if not waiting[place]:
            ready.append(place)
    while ready:
        place = ready.pop()
        b = known[place]
        before = known[place[0], b.previous].lamport if b.index else 0
        heads = [known[one[0], one[2]].lamport for one in b.heads if not is_removed(b) or (one[0], one[2]) in earned and proves(known, one, b)]
        if b.lamport != follows(before, heads):
            if not is_removed(b):
                wrong.add(place)
            continue
        if place in earned:
            continue
        earned.add(place)
        for one in behind.get(place, ()):
            waiting[one].discard(place)
            if not waiting[one]:
                ready.append(one)
    children, stack = {}, list(wrong)
    for place, b in known.items():
        if b.index:
            children.setdefault((place[0], b.previous), []).append(place)
    while stack:
        for one in children.get(stack.pop(), ()):
            if one not in wrong:
                wrong.add(one)
                stack.append(one)
    return earned, wrong

def is_removed(b):
    return getattr(b, "removed", False)

def proves(known, head, b):
    """Whether a head is here and earlier than a block, so that it counts for its proven time."""
    there = known.get((head[0], head[2]))
    return there is not None and there.index == head[1] and (there.lamport < b.lamport or not is_removed(b) and there.lamport == b.lamport == LAST)

def proven(blocks):
    """The proven time of every block, which no claim puts higher."""
    known = {(b.instance.bytes, b.hash): b for b in blocks}
    times, stack = {}, list(known)
    def needed(b):
        before = (b.instance.bytes, b.previous)
        return [(one[0], one[2]) for one in b.heads or () if proves(known, one, b)] + ([before] if b.index and before in known else [])
    while stack:
        place = stack[-1]
        missing = [one for one in needed(known[place]) if one not in times]
        if place in times or not missing:
            stack.pop()
            b = known[place]
            # Of a block that is given, what is before it is not known.
            first = b.lamport if getattr(b, "given", False) else 0
            times.setdefault(place, first or min(b.lamport, LAST, 1 + max((times[one] for one in needed(b)), default=0)))
        else:
            stack += missing
    return times

def by_settings(blocks):
    """The blocks whose settings count, in the order in which these overrule each other: the last one holds."""
    earned, wrong = judge(blocks)
    known, times = {(b.instance.bytes, b.hash): b for b in blocks}, proven(blocks)
    def last_earned(place):
        while place in known and place not in earned:
            place = place[0], known[place].previous
        return known[place].lamport if place in known else 0
    counting = [place for place, b in known.items() if place not in wrong and b.heads is not None and not is_removed(b)]
    return [known[one] for one in sorted(counting, key=lambda one: (last_earned(one), times[one], one))]
