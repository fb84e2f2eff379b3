import Foundation
import GRDB

// The rows that Benchmarks/kit has written, read as structs through GRDB, as its own documentation does it.

/// By `Codable`, as a record of SeaKit is.
struct Reading: Codable, FetchableRecord, TableRecord {
  static let databaseTableName = "r"
  var id: String
  var name: String
  var place: String
  var celsius: Double
  var count: Int
  var good: Bool
}

/// By hand, each column by its place.
struct Row6: FetchableRecord, TableRecord {
  static let databaseTableName = "r"
  var id: String
  var name: String
  var place: String
  var celsius: Double
  var count: Int
  var good: Bool

  init(row: Row) {
    (id, name, place) = (row[0], row[1], row[2])
    (celsius, count, good) = (row[3], row[4], row[5])
  }
}

/// Seconds of CPU of this process, all its threads.
func cpu() -> Double {
  var usage = rusage()
  getrusage(Int32(truncatingIfNeeded: RUSAGE_SELF.rawValue), &usage)
  return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
    + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
}

func line(_ what: String, _ value: Double, _ unit: String) {
  print(what.padding(toLength: 44, withPad: " ", startingAt: 0) + String(format: "%9.2f ", value) + unit)
}

@main enum Bench {
  static func main() async throws {
    let queue = try DatabaseQueue(path: CommandLine.arguments[1])
    try await measure("GRDB, fetch as Codable structs, each", queue) { try Reading.order(sql: "id").fetchAll($0).count }
    try await measure("GRDB, the same by init(row:)", queue) { try Row6.order(sql: "id").fetchAll($0).count }
  }

  static func measure(
    _ what: String, _ queue: DatabaseQueue, _ count: @escaping @Sendable (Database) throws -> Int
  ) async throws {
    var each: [Double] = []
    for _ in 0..<5 {
      let start = cpu()
      let found = try await queue.read(count)
      each.append((cpu() - start) * 1e6 / Double(found))
    }
    line(what, each.sorted()[2], "us")
  }
}
