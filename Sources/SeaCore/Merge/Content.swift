/// The type and body of a record in one revision.
package struct Content: Equatable, Sendable {
  package var type: String?
  /// A dictionary; nil: the record is deleted.
  package var body: Value?

  package init(type: String?, body: Value?) {
    self.type = type
    self.body = body
  }

  package static let deleted = Content(type: nil, body: nil)

  /// Returns the content as a child of the revision with this digest inherits it. A merge needs inherited contents.
  package func inherited(from parent: Digest) -> Content {
    Content(type: type, body: body?.inherited(from: parent))
  }

  /// The content without the sets at paths through dictionaries.
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

  /// The value at a path through dictionaries. The type has the same name as in JSON.
  package subscript(path: PropertyPath) -> Value? {
    path.names.first == Merge.typeName ? typeValue : body?[dictionaries: path.names[...]]
  }

  /// Returns a copy with another value at a path, or without the value.
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

  /// The cost of one pass through the content.
  package var steps: Int { body?.steps ?? 1 }

  /// The type as a string value, which is compared by its bytes.
  var typeValue: Value? { type.map { .string($0) } }
}

/// The type and body of a record in one revision, in encoded form. Equal contents have equal bytes.
package struct StoredContent: Equatable, Sendable {
  package var type: String?
  /// Nil: the record is deleted.
  package var body: [UInt8]?

  package init(type: String?, body: [UInt8]?) {
    self.type = type
    self.body = body
  }

  package static let deleted = StoredContent(type: nil, body: nil)

  /// False if the body contains neither a counter nor a set.
  package var mayHaveStates: Bool { body?.withUnsafeBufferPointer(StoredValue.mayHaveStates) ?? false }

  package static func == (a: StoredContent, b: StoredContent) -> Bool {
    switch (a.type, b.type) {
    case (nil, nil): a.body == b.body
    case (let x?, let y?): UTF8Text.equal(x, y) && a.body == b.body
    default: false
    }
  }
}

/// The common origin of two contents: a revision, nothing, or the merge of several revisions.
///
/// Where that merge had conflicts, the base is open: every side counts as changed, so sides that differ conflict again.
package struct Base: Sendable {
  package var content: Content
  /// The paths where the base is open; it is open below them too.
  package var open: [PropertyPath] = []

  package init(_ content: Content, open: [PropertyPath] = []) {
    self.content = content
    self.open = open
  }

  var steps: Int { content.steps + open.count }

  /// The base of sides that were created independently, or again after a deletion.
  package static let nothing = Base(.deleted)
  /// Open everywhere: a base exists, but its content is unknown.
  package static let unknown = Base(.deleted, open: [PropertyPath(names: [])])
}

/// The base at one path.
struct BasePlace {
  private(set) var value: Value?
  /// The open places here and below, if any.
  private var open: PathTree<Void>.Place?

  init(_ base: Base) {
    value = base.content.body ?? .empty
    var tree = PathTree<Void>()
    for path in base.open { tree.add(path, ()) }
    open = tree.top
  }

  var isOpen: Bool { open?.element != nil }

  /// Whether a side with this value is unchanged.
  func equals(_ side: Value?) -> Bool { open == nil && value == side }

  func child(_ name: String) -> BasePlace {
    var place = self
    place.value = isOpen ? nil : value?.members?[name]
    // Everything below an open place is open.
    if !isOpen { place.open = open?.child(name) }
    return place
  }

  func descendant(_ names: [String]) -> BasePlace { names.reduce(self) { $0.child($1) } }

  /// The type is treated like a property, with its name from JSON.
  static func type(of base: Base) -> BasePlace {
    var place = BasePlace(base).child(Merge.typeName)
    place.value = place.isOpen ? nil : base.content.typeValue
    return place
  }
}
