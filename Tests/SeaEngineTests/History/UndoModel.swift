import SeaCore
import SeaEngine
import SeaTestSupport

/// The rules of sea-undo(1) for a property, without the internal state of sets and counters.
struct UndoModel {
  /// The encodings of elements whose addition was undone; they disappear with the last revision that added them.
  let withdrawn: Set<[UInt8]>

  /// The encodings of set elements that are new or were added again.
  static func added(_ before: Value?, _ after: Value?) -> Set<[UInt8]> {
    switch (before, after) {
    case (let before, .dictionary(let members)?):
      let old = before?.members
      return members.keys.reduce(into: []) { $0.formUnion(added(old?[$1], members[$1])) }
    case (let before, .array(let values)?):
      var old: [Value] = []
      if case .array(let values)? = before { old = values }
      return values.enumerated().reduce(into: []) { found, next in
        found.formUnion(added(old.indices.contains(next.offset) ? old[next.offset] : nil, next.element))
      }
    case (.set(let old)?, .set(let set)?):
      return Set(set.items.filter { old.tags(of: $0.value) != $0.tags }.map(\.encoding))
    case (_, .set(let set)?): return Set(set.items.map(\.encoding))
    default: return []
    }
  }

  static func fits(_ before: Content?, _ after: Content?, _ now: Content?) -> Bool {
    guard let a = before?.body, let b = after?.body, let c = now?.body else {
      return Self.isSame(before, after) || Self.isSame(now, after) || Self.isSame(now, before)
    }
    let types = [before?.type, after?.type, now?.type]
    return (types[0] == types[1] || types[2] == types[1] || types[2] == types[0]) && fits(a, b, c)
  }

  private static func fits(_ before: Value?, _ after: Value?, _ now: Value?) -> Bool {
    switch (before, after, now) {
    case (.dictionary(let a)?, .dictionary(let b)?, .dictionary(let c)?):
      return Members.keys(of: [a, b, c]).allSatisfy { fits(a[$0], b[$0], c[$0]) }
    case (.counter?, .counter?, .counter?), (.set?, .set?, .set?): return true
    default: return Self.isSame(before, after) || Self.isSame(now, after) || Self.isSame(now, before)
    }
  }

  func isTakenBack(_ before: Content?, _ after: Content?, _ now: Content?, _ result: Content?) -> Bool {
    guard let a = before?.body, let b = after?.body, let c = now?.body, let d = result?.body else {
      return Self.isSame(result, Self.isSame(before, after) ? now : before)
    }
    let type = before?.type == after?.type ? now?.type : before?.type
    return result?.type == type && isTakenBack(a, b, c, d)
  }

  private func isTakenBack(_ before: Value?, _ after: Value?, _ now: Value?, _ result: Value?) -> Bool {
    switch (before, after, now, result) {
    case (.dictionary(let a)?, .dictionary(let b)?, .dictionary(let c)?, .dictionary(let d)?):
      return Members.keys(of: [a, b, c, d]).allSatisfy { isTakenBack(a[$0], b[$0], c[$0], d[$0]) }
    case (.counter(let a)?, .counter(let b)?, .counter(let c)?, .counter(let d)?):
      return d.value == c.value - (b.value - a.value)
    case (.set(let a)?, .set(let b)?, .set(let c)?, .set(let d)?):
      return (a.elements + b.elements + c.elements + d.elements).allSatisfy { element in
        switch (a.contains(element), b.contains(element), c.contains(element)) {
        case (true, _, _) where withdrawn.contains(element.encoding): true
        case (true, false, _): d.contains(element)
        // It may have been added again since.
        case (false, true, true): true
        case (_, _, let isThere): d.contains(element) == isThere
        }
      }
    default: return Self.isSame(result, Self.isSame(before, after) ? now : before)
    }
  }

  private static func isSame(_ a: Content?, _ b: Content?) -> Bool {
    Self.isSame(a?.body, b?.body) && (a?.body == nil || a?.type == b?.type)
  }

  private static func isSame(_ a: Value?, _ b: Value?) -> Bool {
    (try? a?.json()) == (try? b?.json())
  }
}
