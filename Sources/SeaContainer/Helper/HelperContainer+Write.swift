import SeaCore
import SeaSystem

extension HelperContainer {
  package func leaf(_ leaf: Layout.Leaf, of chain: BranchID, again: Bool) throws(ContainerError) -> LeafNames {
    if again { try lookAgain(at: chain) } else { try settle(chain) }
    return try LeafNames(names().chains[chain], leaf)
  }

  /// Any number of requests may be under way.
  package func put(_ files: [(place: FilePlace, bytes: [UInt8])]) throws(ContainerError) -> [Bool] {
    let line = try line()
    let sent = files.map { file in
      file.bytes.withUnsafeBytes { line.ask(.put(file.place.path, size: Int64($0.count)), $0) }
    }
    var written: [Bool] = []
    for (file, ticket) in zip(files, sent) {
      var isWritten = true
      do throws(HelperFault) { try line.finish(ticket) } catch {
        switch error {
        case .refused(.exists, _): isWritten = false
        case .refused(.busy, _): isWritten = try put(file.place, file.bytes)
        default: throw .helper(error, place: location)
        }
      }
      note(file.place, .init(size: Int64(file.bytes.count), time: 0))
      written.append(isWritten)
    }
    return written
  }

  /// The other side has seen to it, or does with the next `flush`.
  package func adopt(_ places: [FilePlace]) {}

  package func delete(_ places: [FilePlace]) throws(ContainerError) {
    let places = places.filter { WirePath.isPath($0.path) }
    if places.isEmpty { return }
    let line = try line()
    var sent: [HelperTicket] = []
    for place in places { sent.append(line.ask(.delete(place.path))) }
    for (place, ticket) in zip(places, sent) {
      _ = try found(ticket)
      note(place, nil)
    }
  }

  package var isAppendOnly: Bool {
    get throws(ContainerError) { try line().words.contains(FolderServer.appendOnly) }
  }
}
