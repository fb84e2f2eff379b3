/// What a revision says of its record.
package struct Content: Equatable, Sendable {
  package var type: String?
  /// A dictionary; nil: the record is deleted.
  package var body: Value?

  package init(type: String?, body: Value?) {
    self.type = type
    self.body = body
  }

  package static let deleted = Content(type: nil, body: nil)

  /// As a child of the revision with this digest carries it on. Contents that are merged with others have to be.
  package func inherited(from parent: Digest) -> Content {
    Content(type: type, body: body?.inherited(from: parent))
  }

  /// The same but for the sets at paths through dictionaries.
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

  /// The value at a path through dictionaries; the type stands beside the properties, under the name that it has in
  /// JSON.
  package subscript(path: PropertyPath) -> Value? {
    path.names.first == Merge.typeName ? typeValue : body?[dictionaries: path.names[...]]
  }

  /// The same with another value at a path, or without it.
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

  /// What it costs to go through it once.
  package var steps: Int { body?.steps ?? 1 }

  /// The type as a property would hold it: compared by its bytes.
  var typeValue: Value? { type.map { .string($0) } }
}

/// What a revision says of its record, where it lies. Equal ones are so byte by byte.
package struct StoredContent: Equatable, Sendable {
  package var type: String?
  /// Nil: the record is deleted.
  package var body: [UInt8]?

  package init(type: String?, body: [UInt8]?) {
    self.type = type
    self.body = body
  }

  package static let deleted = StoredContent(type: nil, body: nil)

  /// False: there is neither counter nor set in it.
  package var mayHaveStates: Bool { body?.withUnsafeBufferPointer(StoredValue.mayHaveStates) ?? false }

  package static func == (a: StoredContent, b: StoredContent) -> Bool {
    switch (a.type, b.type) {
    case (nil, nil): a.body == b.body
    case (let x?, let y?): UTF8Text.equal(x, y) && a.body == b.body
    default: false
    }
  }
}

/// What two contents come from: that of a revision, nothing, or what several revisions were merged to.
///
/// Where those clashed it is open: no side is what it was, so that whatever the sides do not agree on clashes again.
package struct Base: Sendable {
  package var content: Content
  /// The places where it is open, and all below them.
  package var open: [PropertyPath] = []

  package init(_ content: Content, open: [PropertyPath] = []) {
    self.content = content
    self.open = open
  }

  var steps: Int { content.steps + open.count }

  /// Both sides were made without knowing of each other, or again after the record was deleted.
  package static let nothing = Base(.deleted)
  /// Open everywhere: a base there is, and what it says is not known.
  package static let unknown = Base(.deleted, open: [PropertyPath(names: [])])
}

/// The base at one path.
struct BasePlace {
  private(set) var value: Value?
  /// What is open here or below; nil if nothing is.
  private var open: PathTree<Void>.Place?

  init(_ base: Base) {
    value = base.content.body ?? .empty
    var tree = PathTree<Void>()
    for path in base.open { tree.add(path, ()) }
    open = tree.top
  }

  var isOpen: Bool { open?.element != nil }

  /// Whether a side that says this has changed nothing.
  func equals(_ side: Value?) -> Bool { open == nil && value == side }

  func child(_ name: String) -> BasePlace {
    var place = self
    place.value = isOpen ? nil : value?.members?[name]
    // Below an open place all is open.
    if !isOpen { place.open = open?.child(name) }
    return place
  }

  func descendant(_ names: [String]) -> BasePlace { names.reduce(self) { $0.child($1) } }

  /// The type stands beside the properties, under the name that it has in JSON.
  static func type(of base: Base) -> BasePlace {
    var place = BasePlace(base).child(Merge.typeName)
    place.value = place.isOpen ? nil : base.content.typeValue
    return place
  }
}
