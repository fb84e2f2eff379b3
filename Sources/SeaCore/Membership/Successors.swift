package struct Successors: Sendable {
  private var spans: [UUID: (line: Int, place: Int, end: Int)] = [:]

  package init(_ births: some Sequence<Membership.FirstBlock>) {
    var numbers = InstanceNumbers()
    let lines = numbers.lines(births)
    self.init(numbers.instances, lines)
  }

  init(_ instances: [UUID], _ lines: MembershipLines) {
    for (one, instance) in instances.enumerated() where lines.members[lines.line[one]].count > 1 {
      spans[instance] = (lines.line[one], lines.place[one], lines.end[one])
    }
  }

  package func contains(_ one: UUID, of other: UUID) -> Bool {
    guard let one = spans[one], let other = spans[other], one.line == other.line else { return false }
    return other.place < one.place && one.place < other.end
  }

  /// Whether `one` is `other` or one of its successors.
  package func isSameOrSuccessor(_ one: UUID, for other: UUID) -> Bool { one == other || contains(one, of: other) }
}

/// Assigns numbers to instances in the order in which they first occur.
struct InstanceNumbers {
  private(set) var instances: [UUID] = []
  private(set) var numbers: [UUID: Int] = [:]

  mutating func number(_ instance: UUID) -> Int {
    if let known = numbers[instance] { return known }
    numbers[instance] = instances.count
    instances.append(instance)
    return instances.count - 1
  }

  mutating func lines(_ births: some Sequence<Membership.FirstBlock>) -> MembershipLines {
    var follows: [Int: Int] = [:]
    for birth in Membership.FirstBlock.decisiveFirstBlocks(births) {
      let one = number(birth.instance)
      follows[one] = birth.follows.map { number($0) }
    }
    return MembershipLines(instances.indices.map { follows[$0] }) { instances[$0] < instances[$1] }
  }
}

extension Membership.FirstBlock {
  /// Returns the first block of each instance that has a predecessor. If an instance has several first blocks, the one
  /// with the smallest hash is used.
  static func decisiveFirstBlocks(_ births: some Sequence<Membership.FirstBlock>) -> [Membership.FirstBlock] {
    let births = Array(births)
    let followers = Set(births.lazy.filter { $0.follows != nil }.map(\.instance))
    var first: [UUID: Membership.FirstBlock] = [:]
    for birth in births where followers.contains(birth.instance) {
      if let other = first[birth.instance], other.digest < birth.digest { continue }
      first[birth.instance] = birth
    }
    return first.values.sorted { $0.instance < $1.instance }
  }
}
