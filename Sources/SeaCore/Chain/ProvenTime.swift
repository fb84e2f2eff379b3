/// Proven times where blocks may lead back to themselves (sea-format(5), Lamport time). Digests lead back only; what an order to purge
/// claims for a removed block, the block before it and its heads, is anybody's word.
///
/// What is claimed for a block and leads back to it counts as not here: so there is no circle, in whatever order one looks.
package enum ProvenTime {
  /// Linear in the edges.
  /// - Parameters:
  ///   - before: of each block those that it leads to, by their place in the list.
  ///   - claimed: the same, of removed blocks, where an order claims it.
  ///   - greatest: of each block the greatest time of those outside the list that it leads to.
  package static func times(before: [[Int]], claimed: [[Int]], greatest: [UInt32]) -> [UInt32] {
    let circle = circles(before.indices.map { before[$0] + claimed[$0] })
    let edges = before.indices.map { at in before[at] + claimed[at].filter { circle[$0] != circle[at] } }
    var times = [UInt32?](repeating: nil, count: edges.count)
    for start in edges.indices where times[start] == nil {
      var stack = [(block: start, position: 0)]
      while let (block, first) = stack.popLast() {
        var position = first
        while position < edges[block].count, times[edges[block][position]] != nil { position += 1 }
        if position < edges[block].count {
          stack += [(block, position), (edges[block][position], 0)]
        } else {
          times[block] = LamportClock.next(after: edges[block].reduce(greatest[block]) { max($0, times[$1]!) })
        }
      }
    }
    return times.map { $0! }
  }

  /// A number for each block; those have the same that lead to each other.
  ///
  /// R. Tarjan, Depth-first search and linear graph algorithms (1972), with a stack of its own.
  private static func circles(_ edges: [[Int]]) -> [Int] {
    var found = [Int](repeating: -1, count: edges.count)
    var number = [Int](repeating: -1, count: edges.count)
    var lowest = number
    var (open, count, next) = ([Int](), 0, 0)
    for start in edges.indices where number[start] < 0 {
      var stack = [(block: start, position: 0)]
      while let (block, first) = stack.popLast() {
        var position = first
        if position == 0 {
          number[block] = next
          lowest[block] = next
          next += 1
          open.append(block)
        } else {
          let done = edges[block][position - 1]
          if found[done] < 0 { lowest[block] = min(lowest[block], lowest[done]) }
        }
        while position < edges[block].count, number[edges[block][position]] >= 0 {
          let known = edges[block][position]
          if found[known] < 0 { lowest[block] = min(lowest[block], number[known]) }
          position += 1
        }
        if position < edges[block].count {
          stack += [(block, position + 1), (edges[block][position], 0)]
          continue
        }
        guard lowest[block] == number[block] else { continue }
        while let last = open.popLast() {
          found[last] = count
          if last == block { break }
        }
        count += 1
      }
    }
    return found
  }
}
