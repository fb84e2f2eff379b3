extension TapeEncoder {
  /// The tape holds an object.
  mutating func record(into w: inout ByteWriter) throws(CoreError) -> RecordInput {
    var input = RecordInput()
    let list = Int(order.advanced(by: Int(nodes[0].end)).pointee)
    let keys = order + Int(nodes[0].end) + 1
    var count = 0
    // What `sea get --meta` prints names the revision before, too, and beside it who wrote this one.
    var sign: Int?
    var isPrinted = false
    for j in 0..<list {
      let key = Int(keys[j])
      let name = bytes(key)
      if name.first == 0x5F {
        if !limits.isHistory, UTF8Text.equal(name, "_revParent") { sign = key }
        if UTF8Text.equal(name, "_instance") { isPrinted = true }
        try reserved(name, key, into: &input)
      } else {
        if let fault = Name.propertyFault(in: name) { throw fail(.property, fault, name, key) }
        if nodes[key &+ 1].kind != .null || limits.keepsNulls { count &+= 1 }
      }
    }
    if let sign, !isPrinted { throw fail(.revision, sign) }
    let start = w.count
    w.cborMap(count)
    for j in 0..<list {
      let key = Int(keys[j])
      let name = bytes(key)
      if name.first == 0x5F || (nodes[key &+ 1].kind == .null && !limits.keepsNulls) { continue }
      w.cborText(name)
      try value(key &+ 1, 1, into: &w)
    }
    input.hasReferences = hasReferences
    input.needsState = needsState
    input.body = start..<w.count
    return input
  }

  /// Takes what a member whose name begins with `_` says.
  private func reserved(
    _ name: UnsafeBufferPointer<UInt8>, _ key: Int, into input: inout RecordInput
  ) throws(CoreError) {
    let value = key &+ 1
    func given(_ word: StaticString) -> Bool { UTF8Text.equal(name, word) }
    if given("_id") {
      input.id = try self.name(.id, value)
    } else if given("_type") {
      input.type = try self.name(.type, value)
    } else if given("_rev") {
      if nodes[value].kind == .null || limits.ignoresRevision { return }
      input.rev = try revision(value)
    } else if given("_deleted") {
      switch nodes[value].kind {
      case .yes: input.deleted = true
      case .no, .null: break
      default: throw fail(.badReserved, value)
      }
    } else if limits.isHistory, try history(given, value, into: &input) {
      return
    } else if given("_merged") || given("_resolved") || given("_body") {
      throw fail(.revision, key)
    } else if !(given("_revParent") || given("_conflicts") || given("_instance") || given("_lamport") || given("_time")
      || given("_created") || given("_created_by") || given("_modified") || given("_modified_by") || given("_conflict")
      || given("_block") || given("_labels"))
    {
      throw fail(.badReserved, key)
    }
  }

  /// - Returns: false if the member is none of a history.
  private func history(
    _ given: (StaticString) -> Bool, _ value: Int, into input: inout RecordInput
  ) throws(CoreError) -> Bool {
    if given("_revParent") {
      input.parent = try revision(value)
    } else if given("_merged") {
      guard nodes[value].kind == .array else { throw fail(.badRevision, value) }
      var child = value &+ 1
      while child < Int(nodes[value].next) {
        input.merged.append(try revision(child))
        child = Int(nodes[child].next)
      }
    } else if given("_resolved") {
      guard nodes[value].kind == .yes else { throw fail(.badReserved, value) }
      input.isResolved = true
    } else if given("_body") {
      var writer = ByteWriter()
      guard let text = string(value), Base64.decode(text, into: &writer) else { throw fail(.badData, value) }
      input.stored = writer.array()
    } else {
      return false
    }
    return true
  }

  private func revision(_ value: Int) throws(CoreError) -> RevisionID {
    guard let text = string(value), text.count <= 80, let rev = RevisionID(String(decoding: text, as: UTF8.self))
    else { throw fail(.badRevision, value) }
    return rev
  }

  func name(_ role: NameRole, _ value: Int) throws(CoreError) -> String? {
    if nodes[value].kind == .null { return nil }
    guard let text = string(value) else { throw fail(role, .notText, nil, value) }
    if let fault = Name.fault(in: text) { throw fail(role, fault, text, value) }
    return String(decoding: text, as: UTF8.self)
  }

  func fail(_ role: NameRole, _ fault: NameFault, _ text: UnsafeBufferPointer<UInt8>?, _ node: Int) -> CoreError {
    .badMember(role, fault, text.map { String(decoding: $0, as: UTF8.self) } ?? "", offset: place(node))
  }
}
