import SeaCore
import SeaEngine
import SeaWords

/// What the values were in each column of a table that was written: what `load` has to be told, to which every cell is a text.
final class DumpedKinds {
  private let names: [String]
  private var seen: [ForeignKinds]

  init(_ columns: [Selection]) {
    names = columns.map(DumpedKinds.name)
    seen = Array(repeating: [], count: columns.count)
  }

  /// What stands above a column: the name that `load` goes by.
  static func name(_ column: Selection) -> String { column.plainProperty ?? column.text }

  /// Looks at the value of a cell.
  func see(_ column: Int, _ value: UnsafeBufferPointer<UInt8>) throws {
    switch value.first.map({ $0 >> 5 }) {
    case 0, 1: seen[column].insert(.integer)
    case 2: seen[column].insert(.data)
    case 3: seen[column].insert(.text)
    case 4: seen[column].insert(.other)
    default:
      let value = try Value.decode(value: value).unlabelled
      if case .null = value { return }
      if case .reference = value {
        seen[column].insert(.reference)
      } else {
        seen[column].formUnion(ForeignKinds(value))
      }
    }
  }

  /// What is to be said of it.
  var notices: [String] {
    var types: [String] = []
    var lost: [String] = []
    for (name, kinds) in zip(names, seen) where !kinds.isEmpty && kinds != .text {
      // What stands between columns in the option cannot be in a name there.
      if let type = CellType(of: kinds), !name.utf8.contains(0x2C) {
        types.append("\(name):\(type.rawValue)")
      } else {
        lost.append("'\(name)'")
      }
    }
    var notices: [String] = []
    if !types.isEmpty {
      let option = Escape.shellWord("\(LoadCommand.types.dashed)=" + types.joined(separator: ","))
      notices.append("to sea load a cell is a text, unless it is told: \(option)")
    }
    if !lost.isEmpty {
      notices.append(
        "values of \(lost.joined(separator: ", ")) come back as texts, whatever load is told: --format=jsonl keeps them"
      )
    }
    return notices
  }
}

extension CellType {
  /// What makes the same values of their texts; nil if nothing does.
  fileprivate init?(of kinds: ForeignKinds) {
    switch kinds {
    case .integer, .double, [.integer, .double]: self = .number
    case .large, [.large, .integer]: self = .int
    case .bool: self = .bool
    case .decimal: self = .decimal
    case .date: self = .date
    case .data: self = .data
    case .reference: self = .ref
    case .counter: self = .counter
    case .set: self = .set
    case .other: self = .json
    default: return nil
    }
  }
}
