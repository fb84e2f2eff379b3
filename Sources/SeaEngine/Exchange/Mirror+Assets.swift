import SeaContainer
import SeaCore

extension Mirror {
  /// Copies the files of assets that the target lacks, as they are: what they are worth is for those to find out who have
  /// the records. Of one that has another size there it is told.
  ///
  /// - Parameter target: nil for one that does not exist yet, of which all is counted.
  static func copyAssets(
    from source: Container, to target: Container?, dryRun: Bool, _ allowance: Allowance?, _ progress: WorkReport?,
    _ checkStop: () throws -> Void, _ result: inout Result
  ) throws {
    var work = Work(.handing, target?.location ?? "", done: 0)
    var problems: [Problem] = []
    var count = 0
    func problem(_ place: AssetPlace, in container: Container) {
      problems.append(
        Problem(.badAsset, place: container.location, instance: place.instance, index: place.index, detail: "size"))
    }
    defer {
      result.problems += problems
      result.assets += count
    }
    var ahead = AssetsAhead<(place: AssetPlace, size: Int64)>(
      from: [source], isLimited: dryRun || allowance?.isLimited ?? false)
    func copy(_ place: AssetPlace, _ size: Int64) throws {
      guard dryRun || allowance?.takes(size) ?? true else {
        result.left.assets += 1
        return
      }
      func write(to target: Container) throws {
        try target.writeAsset(place, size: size) { offset, buffer in
          let count = try source.fill(buffer, from: place, at: offset)
          allowance?.pass(count, isFar: target.isFar || source.isFar)
          work.done += Int64(count)
          progress?(work)
          try checkStop()
          return count
        }
      }
      if let target, !dryRun {
        do {
          do { try write(to: target) } catch ContainerError.inTheWay {
            // No file at all.
            try target.setAside(place)
            try write(to: target)
          }
        } catch ContainerError.badAsset(let fault, _) {
          return problem(place, in: fault == .differs ? target : source)
        }
      }
      count += 1
    }
    try source.forEachAsset { place, size in
      if let there = try target?.assetSize(place) {
        if there != size { problem(place, in: target!) }
      } else {
        try ahead.add((place, size), CollectionOfOne(place)) { try copy($0.place, $0.size) }
      }
    }
    try ahead.finish { try copy($0.place, $0.size) }
  }
}

extension AssetSource {
  /// Fills the buffer from an offset of a file, as far as the file goes.
  func fill(_ buffer: UnsafeMutableRawBufferPointer, from place: AssetPlace, at offset: Int64) throws -> Int {
    var count = 0
    try readAsset(place, from: offset) { bytes in
      let part = min(bytes.count, buffer.count - count)
      UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + part])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<part]))
      count += part
      return count < buffer.count
    }
    return count
  }
}
