import SeaCore
import SeaEngine
import SeaSystem

/// A change to one property, given as `KEY=VALUE` or in one of these forms.
///
///     k=text   k:=JSON   k:TYPE=text   k:TYPE@FILE   k:asset@FILE   k+=x   k-=x   k:counter+=1   k:set+=x
///     k:sql=expression
///     k:TYPE[SEMANTIC-TYPE]=text   k:TYPE[SEMANTIC-TYPE]@FILE   k:asset[SEMANTIC-TYPE]@FILE   k:asset[MIME/TYPE]@FILE
struct Assignment {
  enum Operator: Equatable { case set, add, subtract }

  let text: String
  let path: PropertyPath
  /// The type. If it is nil, `=` sets a string, and `+=` and `-=` keep the type of the property.
  let type: String?
  /// The semantic type; empty to remove the semantic type, nil to keep the current one.
  let semanticType: String?
  let mime: String?
  let sign: Operator
  var value: [UInt8]
  /// The file to store as an asset, and the asset once it is staged.
  let assetFile: String?
  var asset: StagedAsset?
  let readsInput: Bool

  static let types = ["string", "int", "decimal", "date", "day", "data", "ref", "counter", "set", "json", "asset"]
  static let computed = "sql"

  var expression: String? { type == Assignment.computed ? String(decoding: value, as: UTF8.self) : nil }

  /// The types that can have a semantic type. The semantic type of an asset contains no slash.
  private static let withSemanticType = ["string", "int", "decimal", "date", "day", "data", "ref", "json", "asset"]

  private let limits: RecordLimits

  /// - Parameters:
  ///   - computes: whether an SQL expression is permitted, because there are existing records to evaluate it on.
  ///   - readsFiles: whether a value may come from a file.
  ///   - inputReader: the part of the command that already reads standard input; values then cannot come from standard
  ///     input.
  init(
    _ text: String, _ session: Session, computes: Bool = false, readsFiles: Bool = true, inputReader: String? = nil
  ) throws {
    self.text = text
    let bytes = Array(text.utf8)
    func bad() -> UsageFault { .badAssignment(text) }
    // Split the text at the first `=`, or at the `@` of `:TYPE@FILE` if it comes first. Ignore both characters within
    // brackets.
    let bracket = Assignment.bracket(bytes)
    let equals =
      bracket.map { bytes[$0.upperBound] == UInt8(ascii: "=") ? $0.upperBound : nil }
      ?? bytes.firstIndex(of: UInt8(ascii: "="))
    let file =
      bracket.map { bytes[$0.upperBound] == UInt8(ascii: "@") ? $0.upperBound : nil }
      ?? Assignment.fileMark(bytes, before: equals ?? bytes.count)
    guard let split = file ?? equals, split > 0, file == nil || readsFiles else { throw bad() }
    var key = bytes[..<(bracket?.lowerBound ?? split)]
    let inside = bracket.map { String(decoding: bytes[$0].dropFirst().dropLast(), as: UTF8.self) }
    guard inside.map({ $0.isEmpty || SemanticType.isValid($0) }) ?? true else { throw bad() }
    var sign = Operator.set
    if file == nil, bracket == nil, let last = key.last, last == UInt8(ascii: "+") || last == UInt8(ascii: "-") {
      sign = last == UInt8(ascii: "+") ? .add : .subtract
      key = key.dropLast()
    }
    var type: String?
    if let colon = key.lastIndex(of: UInt8(ascii: ":")) {
      let name = String(decoding: key[(colon + 1)...], as: UTF8.self)
      let isComputed = computes && sign == .set && name == Assignment.computed
      guard name.isEmpty || isComputed || Assignment.types.contains(name) else {
        let isType =
          !name.isEmpty && name.utf8.allSatisfy { $0 | 0x20 &- 0x61 < 26 } && !Assignment.types.contains(name)
        guard isType, name != Assignment.computed else { throw bad() }
        throw UsageFault.unknownValueType(
          name, similar: Similarity.nearest(to: name, among: Assignment.types), known: Assignment.types)
      }
      type = name
      key = key[..<colon]
    }
    guard !key.isEmpty else { throw bad() }
    path = try PropertyPath(String(decoding: key, as: UTF8.self))
    if let first = path.names.first { try Name.checkProperty(first) }
    limits = try session.recordLimits()
    let rest = String(decoding: bytes[(split + 1)...], as: UTF8.self)
    readsInput = file != nil && rest == "-"
    if readsInput, let inputReader { throw UsageFault.oneInput([inputReader, text]) }
    // The content of an asset always comes from a file.
    guard type != "asset" || file != nil else {
      throw UsageFault.assetWithoutFile(text, meant: String(decoding: bytes[..<split], as: UTF8.self) + "@" + rest)
    }
    assetFile = type == "asset" ? rest : nil
    value = file == nil ? Array(rest.utf8) : type == "asset" ? [] : try Assignment.content(rest, path, session)
    // Only a MIME type contains a slash.
    let isMime = type == "asset" && inside?.contains("/") ?? false
    guard !isMime || inside.map(Assignment.isMime) ?? true else { throw bad() }
    (semanticType, mime) = isMime ? (nil, inside) : (inside, nil)
    self.type = type == "" ? "json" : type
    self.sign = sign
  }

  private static func content(_ file: String, _ path: PropertyPath, _ session: Session) throws -> [UInt8] {
    do {
      return try session.reader(file).all(limit: DocumentReader.longest)
    } catch is LineTooLong {
      throw KitError.badValue(id: file, path: path.description, reason: .tooLong)
    }
  }

  /// Returns the range of the brackets that follow a type, if the type permits brackets and `=` or `@` comes next.
  private static func bracket(_ bytes: [UInt8]) -> Range<Int>? {
    let head = bytes.prefix { $0 != UInt8(ascii: "=") }
    for open in head.indices where bytes[open] == UInt8(ascii: "[") {
      guard let colon = bytes[..<open].lastIndex(of: UInt8(ascii: ":")),
        withSemanticType.contains(String(decoding: bytes[(colon + 1)..<open], as: UTF8.self))
      else { continue }
      for end in (open + 1)..<max(open + 1, bytes.count - 1) where bytes[end] == UInt8(ascii: "]") {
        guard bytes[end + 1] == UInt8(ascii: "=") || bytes[end + 1] == UInt8(ascii: "@") else { continue }
        return open..<end + 1
      }
    }
    return nil
  }

  private static func isMime(_ text: String) -> Bool {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    return text.utf8.count <= 255 && text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x5B && $0 != 0x5D }
      && parts.count == 2
      && parts.allSatisfy { $0.first.map { $0.isLetter || $0.isNumber } ?? false }
  }

  private static func fileMark(_ bytes: [UInt8], before end: Int) -> Int? {
    var at = 0
    while let found = bytes[at..<end].firstIndex(of: UInt8(ascii: "@")) {
      if let colon = bytes[..<found].lastIndex(of: UInt8(ascii: ":")) {
        let name = String(decoding: bytes[(colon + 1)..<found], as: UTF8.self)
        if name.isEmpty || types.contains(name) { return found }
      }
      at = found + 1
    }
    return nil
  }

  /// Changes the property in `record`.
  /// - Parameters:
  ///   - replacesType: whether the type of the property may change.
  ///   - before: the record as it was before the command.
  ///   - computed: the result of the SQL expression for this record.
  func apply(
    to record: inout Value, id: String, instance: UUID, replacesType: Bool, now: Milliseconds, before: Value? = nil,
    computed: QueryValue? = nil
  ) throws {
    let old = record[path]
    var value: Value
    if let copied = copied(from: before), old.map({ $0.kindName == copied.kindName }) ?? true {
      value = copied
    } else if let computed {
      do {
        if old == nil, case .json = computed, losesKinds(of: before) { throw KitError.BadValue.copiedLoss }
        guard let found = try computed.computed(over: old, limits: limits) else { return }
        value = found
      } catch let reason as KitError.BadValue {
        throw KitError.badValue(id: id, path: path.description, reason: reason)
      }
    } else {
      value = try changed(old, before, id, instance, now)
    }
    let new = try withSemanticType(value, old, id)
    if case .null = new {
      record.remove(at: path)
      return
    }
    if let old, !replacesType, old.kindName != new.kindName, old.kindName != "null" {
      throw KitError.replacesType(
        id: id, path: path.description, have: old.kindName, want: new.kindName, meant: keeping(old))
    }
    try record.set(new, at: path)
  }

  /// Returns an assignment of the same text that keeps the type of `old`; nil if the text is invalid for that type.
  private func keeping(_ old: Value) -> String? {
    guard sign == .set, assetFile == nil, expression == nil, let text = String(validating: value, as: UTF8.self) else {
      return nil
    }
    let types: [String] =
      switch old.unlabeled {
      case .integer, .bigInteger: ["int", "decimal"]
      case .decimal: ["decimal"]
      case .double, .bool: ["json"]
      case .date: ["date"]
      case .day: ["day"]
      case .reference: ["ref"]
      case .counter: ["counter"]
      default: []
      }
    let parser = ValueText(bytes: value, now: 0, limits: limits)
    for type in types where (try? parser.value(type))?.kindName == old.kindName {
      return "\(path):\(type == "json" ? "" : type)=\(text)"
    }
    return nil
  }

  private func withSemanticType(_ value: Value, _ old: Value?, _ id: String) throws -> Value {
    guard let text = semanticType else { return value.labeled(as: old) }
    if text.isEmpty { return value.unlabeled }
    switch value {
    case .null: return value
    case .dictionary, .counter, .counterDraft, .set, .setDraft:
      throw KitError.badValue(id: id, path: path.description, reason: .noSemanticType)
    default: return .labeled(value.unlabeled, text)
    }
  }

  /// - Parameters:
  ///   - old: the value of the property after the earlier assignments of the command.
  ///   - before: the record as it was before the command.
  private func changed(
    _ old: Value?, _ before: Value?, _ id: String, _ instance: UUID, _ now: Milliseconds
  ) throws -> Value {
    func bad(_ reason: KitError.BadValue) -> KitError { .badValue(id: id, path: path.description, reason: reason) }
    if let asset {
      var reference = asset.reference
      if let mime { reference.mime = mime }
      return .asset(reference)
    }
    let parser = ValueText(bytes: value, now: now, limits: limits)
    if sign == .set {
      do {
        return try parser.value(type ?? "string")
      } catch let reason as KitError.BadValue {
        throw bad(reason)
      } catch let error as CoreError {
        guard let place = error.place else { throw error }
        let excerpt = value.withUnsafeBufferPointer { Excerpt.of(error, in: $0) }
        throw CommandError.badJSONValue(
          id: id, path: path.description, column: place + 1, error, excerpt: excerpt,
          meant: type == "set" ? meantSet : nil)
      }
    }
    let known: Value?
    do throws(CoreError) {
      known = try old.map { value throws(CoreError) in
        try Value.adopting(value, previous: before?[path], instance: instance)
      }
    } catch {
      throw bad(.outOfRange)
    }
    switch (known, type) {
    case (.counter(let known)?, nil), (.counter(let known)?, "counter"):
      return try count(known, parser, instance, bad)
    case (nil, "counter"): return try count(Counter(), parser, instance, bad)
    case (.set(let known)?, nil), (.set(let known)?, "set"): return try member(known, bad)
    case (nil, "set"): return try member(ElementSet(), bad)
    default: throw bad(type == "set" ? .notASet : .notACounter)
    }
  }

  private func count(
    _ known: Counter, _ parser: ValueText, _ instance: UUID, _ bad: (KitError.BadValue) -> KitError
  ) throws -> Value {
    guard let delta = parser.integer else { throw bad(.notAnInteger) }
    var counter = known
    do {
      try counter.add(sign == .add ? Int128(delta) : -Int128(delta), by: instance)
    } catch {
      throw bad(.outOfRange)
    }
    return .counter(counter)
  }

  private func member(_ known: ElementSet, _ bad: (KitError.BadValue) -> KitError) throws -> Value {
    guard let text = String(validating: value, as: UTF8.self) else { throw bad(.notText) }
    var set = known
    if sign == .add {
      set.addAnew(.string(text))
    } else {
      set.remove(.string(text))
    }
    return .set(set)
  }
}

extension Assignment {
  /// Returns a label for the transaction that lists the changed properties.
  static func label(
    _ assignments: [Assignment], _ removals: [PropertyPath], _ moves: [(PropertyPath, PropertyPath)]
  ) -> String {
    let names =
      assignments.map { $0.path.description } + removals.map { "-\($0)" }
      + moves.map { "--rename=\($0.0)=\($0.1)" }
    let label = (["set"] + names).joined(separator: " ")
    return label.utf8.count <= 200 ? label : "set \(names.count) properties"
  }
}

extension Assignment {
  /// Replaces the text of a `:ref` with the id of the record that the text names. Keeps unknown ids, because the record
  /// may be added later.
  /// - Parameter find: returns the id of the record that a string names.
  /// - Throws: `recordNotFound` if no record matches `TYPE:PROP=VALUE`, `ambiguousRecord` if several match.
  func naming(_ find: (String) throws -> String) throws -> Assignment {
    guard type == "ref", sign == .set, let text = String(validating: value, as: UTF8.self),
      (try? RecordText.Match(text)) != nil
    else { return self }
    var named = self
    named.value = Array(try find(text).utf8)
    return named
  }
}

// Hints for users who type the syntax of other programs.

extension Assignment {
  /// If the value is `@FILE` and the file exists, prints a notice that the value is stored as text.
  func noticeUnusedFileSyntax(_ session: Session) {
    guard type == nil, sign == .set, value.first == UInt8(ascii: "@"), value.count > 1 else { return }
    let file = String(decoding: value.dropFirst(), as: UTF8.self)
    guard let found = try? Path.statusFollowing(session.path(file)), found.kind == .file else { return }
    session.terminal.notice(
      "\(path) was set to text, not to the content of the file",
      hint:
        "to store the file as an asset, use \(Escape.shellWord("\(path):asset@\(file)")); to store it as text, use \(Escape.shellWord("\(path):string@\(file)"))"
    )
  }

  /// The set that the user probably meant by text that is not JSON: its comma-separated parts as an array.
  var meantSet: String {
    let elements = String(decoding: value, as: UTF8.self).split(separator: ",").map {
      Value.string(String($0.drop { $0 == " " }))
    }
    return "\(path):set=" + ((try? Value.array(elements).json()) ?? "[]")
  }
}

extension [Assignment] {
  /// Reads the content of all assets. This may take a long time, so call it before locking the database.
  mutating func loadAssets(into database: Database, _ session: Session, dryRun: Bool) throws -> [StagedAsset] {
    var loaded: [StagedAsset] = []
    for k in indices {
      guard let name = self[k].assetFile else { continue }
      let asset = try database.assets.stage(session.assetInput(name), named: name, dryRun: dryRun)
      self[k].asset = asset
      loaded.append(asset)
    }
    return loaded
  }
}

extension Session {
  func assetInput(_ name: String) throws -> AssetInput {
    guard name == "-" else { return .file(try File.awaited(path(name))) }
    var rest: [UInt8] = []
    return .stream { [input = terminal.input] buffer in
      if rest.isEmpty { rest = try input.piece() }
      let count = Swift.min(rest.count, buffer.count)
      rest.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      rest.removeFirst(count)
      return count
    }
  }
}

extension Assignment {
  private var source: PropertyPath? {
    guard let expression else { return nil }
    let (start, end) = ("prop(_id,", "')")
    guard expression.hasPrefix(start), expression.hasSuffix(end) else { return PropertyPath(names: [expression]) }
    let path = expression.dropFirst(start.count).dropLast(end.count).drop { $0 == " " }
    guard path.first == "'", !path.dropFirst().contains("'") else { return nil }
    return try? PropertyPath(String(path.dropFirst()))
  }

  /// Returns a copy of the property that the expression names; nil if SQL itself returns the correct value.
  func copied(from before: Value?) -> Value? {
    guard let source, let value = before?[source] else { return nil }
    switch value.unlabeled {
    // SQL shows a counter as a number, and does not change values of the other types.
    case .double, .string, .counter, .null: return nil
    // Copies of counters and sets start with the current content of the original.
    default: return value.draft
    }
  }

  /// Returns whether the expression uses an array or dictionary that contains values JSON in SQL cannot represent.
  func losesKinds(of before: Value?) -> Bool {
    guard let members = before?.members, let expression else { return false }
    func folded(_ text: some Collection<UInt8>) -> [UInt8] { text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
    let words = expression.utf8.split { byte in
      !(byte == 0x5F || byte >= 0x80 || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20))
    }
    let named = Set(words.map { folded($0) })
    return members.entries.contains { name, value in
      switch value.unlabeled {
      case .array, .dictionary: named.contains(folded(name.utf8)) && !value.unlabeled.survivesJSON
      default: false
      }
    }
  }
}

struct ValueText {
  let bytes: [UInt8]
  let now: Milliseconds
  let limits: RecordLimits

  var integer: Int64? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    return Int64(text)
  }

  /// - Throws: `KitError.BadValue`, or `CoreError` if the bytes are invalid JSON or an invalid id.
  func value(_ type: String) throws -> Value {
    if type == "data" {
      guard bytes.count <= limits.maxData else { throw KitError.BadValue.tooLong }
      return .data(bytes)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw KitError.BadValue.notText }
    switch type {
    case "json": return try Value.json(text, limits: limits)
    case "int": return try form("$int", text, .notAnInteger)
    case "decimal": return try form("$decimal", text, .notADecimal)
    case "ref":
      try Name.check(text)
      return .reference(id: text, kind: nil)
    case "date":
      if let exact = Array(text.utf8).withUnsafeBufferPointer({ Instant.parse($0) }) { return .date(exact) }
      guard let time = TimeText.parse(text, now: now), Instant.range.contains(time) else {
        throw KitError.BadValue.notADate
      }
      return .date(time)
    case "day":
      guard let day = CalendarDay.parse(text) else { throw KitError.BadValue.notADay }
      return .day(day)
    case "counter":
      guard let integer else { throw KitError.BadValue.notAnInteger }
      return .counterDraft(Int128(integer))
    case "set":
      guard case .array(let elements) = try Value.json(text, limits: limits) else { throw KitError.BadValue.notAnArray }
      return .setDraft(elements)
    default: return .string(text)
    }
  }

  private func form(_ key: String, _ text: String, _ reason: KitError.BadValue) throws -> Value {
    do {
      return try Value.json(Field.object([key: .string(text)]).encoded)
    } catch .badJSON {
      throw reason
    }
  }
}
