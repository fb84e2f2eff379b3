import SeaCore
import SeaStore

extension Indexes {
  /// The settings that want an index. One whose name differs in case alone is replaced, too.
  /// - Throws: `badIndex` of a name that none can have.
  package func adding(_ name: String, _ definition: IndexDefinition, isShared: Bool) throws -> IndexSettings {
    let (kind, other): (IndexDefinition.Kind, IndexDefinition.Kind) =
      definition.kind == .text ? (.text, .values) : (.values, .text)
    guard WantedIndex.isName(name), let key = WantedIndex.key(name, kind), let gone = WantedIndex.key(name, other)
    else {
      throw ConfigError.badIndex(
        key: "index", value: "\(name)=\(definition.description)", origin: ConfigOrigin(.command))
    }
    let twins = try those(isShared).filter { $0.isCalled(name) && $0.name != name }.flatMap { $0.keys }
    return IndexSettings([(key, definition.description), (gone, nil)] + twins, isShared: isShared)
  }

  /// The settings that want an index no more.
  /// - Throws: `noIndex`; `otherIndex` of one that only all want, or that only this instance does.
  package func removing(_ name: String, isShared: Bool) throws -> IndexSettings {
    if let one = try those(isShared).first(where: { $0.isCalled(name) }) {
      return IndexSettings(one.keys, isShared: isShared)
    }
    let others = try isShared ? wanted() : shared()
    guard let other = others.first(where: { $0.isCalled(name) }) else { throw ConfigError.noIndex(name) }
    throw ConfigError.otherIndex(other.name, isShared: !isShared)
  }

  /// Those with settings of the scope that is meant.
  private func those(_ isShared: Bool) throws -> [WantedIndex] {
    try isShared ? shared() : wanted().filter { !$0.isShared }
  }

  /// Gives the settings these values.
  package func set(_ settings: IndexSettings) throws {
    guard !settings.isShared else {
      for (key, value) in settings.values { try shared.set(key, value) }
      return
    }
    try store.locked {
      var file = try ConfigSources.read(records.author.folder.configPath)
      for (key, value) in settings.values {
        if let value { try file.set(key, value) } else { _ = try file.unset(key, all: true) }
      }
      try file.save()
    }
  }
}

extension WantedIndex {
  /// Its settings, with no value.
  fileprivate var keys: [(key: ConfigKey, value: String?)] {
    [IndexDefinition.Kind.values, .text].compactMap { WantedIndex.key(name, $0).map { ($0, nil) } }
  }
}
