/// The type and body of a record in one revision.
package struct Content: Equatable, Sendable {
  package var type: String?
  package var body: Value?

  package init(type: String?, body: Value?) {
    self.type = type
    self.body = body
  }

  package static let deleted = Content(type: nil, body: nil)

  /// Returns the content in the form that children of the given revision inherit, which is the form required for
  /// merging.
  package func inherited(from parent: Digest) -> Content {
    Content(type: type, body: body?.inherited(from: parent))
  }

  package var withoutSets: Content {
    func cut(_ value: Value) -> Value? {
      switch value {
      case .set: return nil
      case .dictionary(let members):
        var result = Members()
        for (name, value) in members.entries { if let kept = cut(value) { result.append(name, kept) } }
        return .dictionary(result)
      default: return value
      }
    }
    return Content(type: type, body: body.flatMap(cut))
  }

  package static func == (a: Content, b: Content) -> Bool {
    a.typeValue == b.typeValue && a.body == b.body
  }

  /// Returns the value at a path that leads through dictionaries. The path of the type is `_type`.
  package subscript(path: PropertyPath) -> Value? {
    path.names.first == Merge.typeName ? typeValue : body?[dictionaries: path.names[...]]
  }

  /// Returns a copy with a new value at a path, or without any value there if `value` is nil.
  package func replacing(_ path: PropertyPath, with value: Value?) throws(CoreError) -> Content {
    var result = self
    if path.names.first == Merge.typeName {
      if case .string(let text)? = value { result.type = text } else { result.type = nil }
      return result
    }
    var body = body ?? .empty
    if let value { try body.set(value, at: path) } else { body.remove(at: path) }
    result.body = body
    return result
  }

  /// The cost of reading all values in the content, for `RevisionGraph.spend`.
  package var steps: Int { body?.steps ?? 1 }

  var typeValue: Value? { type.map { .string($0) } }
}

/// The type and body of a record in one revision, in encoded form.
package struct StoredContent: Equatable, Sendable {
  package var type: String?
  package var body: [UInt8]?

  package init(type: String?, body: [UInt8]?) {
    self.type = type
    self.body = body
  }

  package static let deleted = StoredContent(type: nil, body: nil)

  package var mayHaveStates: Bool { body?.withUnsafeBufferPointer(StoredValue.mayHaveStates) ?? false }

  package static func == (a: StoredContent, b: StoredContent) -> Bool {
    switch (a.type, b.type) {
    case (nil, nil): a.body == b.body
    case (let x?, let y?): UTF8Text.equal(x, y) && a.body == b.body
    default: false
    }
  }
}

/// The common base of two sides in a merge: a revision, nothing, or the merge of several revisions.
///
/// Where that merge has conflicts, the base is *open*: both sides count as changed there, so different values conflict
/// again.
package struct Base: Sendable {
  package var content: Content
  /// The paths at which, and within which, the base is open.
  package var open: [PropertyPath] = []

  package init(_ content: Content, open: [PropertyPath] = []) {
    self.content = content
    self.open = open
  }

  var steps: Int { content.steps + open.count }

  /// The base of sides that were created independently, or re-created after a deletion.
  package static let nothing = Base(.deleted)
  package static let unknown = Base(.deleted, open: [PropertyPath(names: [])])
}

struct BasePlace {
  private(set) var value: Value?
  private var open: PathTree<Void>.Place?

  init(_ base: Base) {
    value = base.content.body ?? .empty
    var tree = PathTree<Void>()
    for path in base.open { tree.add(path, ()) }
    open = tree.top
  }

  var isOpen: Bool { open?.element != nil }

  /// The value; nil if the base is open here, above or below.
  var known: Value? { open == nil ? value : nil }

  func equals(_ side: Value?) -> Bool { open == nil && value == side }

  func child(_ name: String) -> BasePlace {
    var place = self
    place.value = isOpen ? nil : value?.members?[name]
    // Everything within an open position is open.
    if !isOpen { place.open = open?.child(name) }
    return place
  }

  func descendant(_ names: [String]) -> BasePlace { names.reduce(self) { $0.child($1) } }

  /// Returns the position of the type, which is merged like a property.
  static func type(of base: Base) -> BasePlace {
    var place = BasePlace(base).child(Merge.typeName)
    place.value = place.isOpen ? nil : base.content.typeValue
    return place
  }
}
