"""Lamport times that are earned, as sea-format(5) says: which blocks raise clocks, and which are bad-lamport."""

LAST = 2**32 - 1

def follows(before, heads):
    """The Lamport time of a block, from those of the block before it and of the heads that it names."""
    return min(LAST, 1 + max([before, *heads]))

def judge(blocks, given=()):
    """The blocks that are earned, and those that are bad-lamport, by (instance, hash); those that are given are earned.

    A block has instance, index, lamport, hash, previous and heads; heads are None where nobody can say who signed it."""
    known = {(b.instance.bytes, b.hash): b for b in blocks}
    earned, wrong, waiting, behind, ready = set(), set(), {}, {}, []
    known |= {(b.instance.bytes, b.hash): b for b in given}
    earned.update((b.instance.bytes, b.hash) for b in given)
    for place, b in known.items():
        if b.heads is None or place in earned:
            continue
        needed = {(one[0], one[2]): one[1] for one in b.heads}
        if b.index:
            needed[place[0], b.previous] = b.index - 1
        if any(one not in known or known[one].index != index for one, index in needed.items()):
            continue
        waiting[place] = set(needed) - earned
        for one in waiting[place]:
            behind.setdefault(one, []).append(place)
        if not waiting[place]:
            ready.append(place)
    while ready:
        place = ready.pop()
        b = known[place]
        before = known[place[0], b.previous].lamport if b.index else 0
        if b.lamport != follows(before, [known[one[0], one[2]].lamport for one in b.heads]):
            wrong.add(place)
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

def proven(blocks):
    """The proven time of every block, which no claim puts higher."""
    known = {(b.instance.bytes, b.hash): b for b in blocks}
    times, stack = {}, list(known)
    def needed(b):
        named = [((one[0], one[2]), one[1]) for one in b.heads or ()] + ([((b.instance.bytes, b.previous), b.index - 1)] if b.index else [])
        return [place for place, index in named if place in known and known[place].index == index]
    while stack:
        place = stack[-1]
        missing = [one for one in needed(known[place]) if one not in times]
        if place in times or not missing:
            stack.pop()
            b = known[place]
            # Of a block that is given, what is before it is not known.
            first = b.lamport if getattr(b, "given", False) else 0
            times.setdefault(place, first or min(b.lamport, 1 + max((times[one] for one in needed(b)), default=0)))
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
    return [known[one] for one in sorted(set(known) - wrong, key=lambda one: (last_earned(one), times[one], one))]
