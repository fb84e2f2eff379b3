import CSQLite
import Foundation
import SeaKit

// What typed records cost through SeaKit, beside the C interface of SQLite with rows of the same content, in one run. Benchmarks/kit.sh
// builds it and calls it.

struct Reading: SeaRecord {
  static let recordType = "reading"
  var id: String
  var name: String
  var place: String
  var celsius: Double
  var count: Int
  var isGood: Bool
}

extension Reading {
  init(_ n: Int) {
    self.init(
      id: "r\(n + 1_000_000)", name: "sensor number \(n % 100)", place: "hall \(n % 7)",
      celsius: Double(n % 400) / 10 + 0.05, count: n, isGood: n % 3 == 0)
  }
}

/// Seconds of CPU of this process, all its threads.
func cpu() -> Double {
  var usage = rusage()
  getrusage(Int32(truncatingIfNeeded: RUSAGE_SELF.rawValue), &usage)
  return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
    + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// The same rows by the C interface.
final class Rows {
  private var handle: OpaquePointer?
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  init(_ path: String) {
    precondition(sqlite3_open(path, &handle) == SQLITE_OK)
    run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-65536")
    run(
      "CREATE TABLE r(id TEXT PRIMARY KEY, name TEXT, place TEXT, celsius REAL, count INTEGER, good INTEGER) WITHOUT ROWID"
    )
  }

  deinit { sqlite3_close(handle) }

  func run(_ sql: String) { precondition(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, sql) }

  func insert(_ readings: some Sequence<Reading>) {
    var statement: OpaquePointer?
    sqlite3_prepare_v2(handle, "INSERT INTO r VALUES(?,?,?,?,?,?)", -1, &statement, nil)
    run("BEGIN IMMEDIATE")
    for one in readings {
      for (k, text) in [one.id, one.name, one.place].enumerated() {
        sqlite3_bind_text(statement, Int32(k + 1), text, -1, Rows.transient)
      }
      sqlite3_bind_double(statement, 4, one.celsius)
      sqlite3_bind_int64(statement, 5, Int64(one.count))
      sqlite3_bind_int(statement, 6, one.isGood ? 1 : 0)
      precondition(sqlite3_step(statement) == SQLITE_DONE)
      sqlite3_reset(statement)
    }
    run("COMMIT")
    sqlite3_finalize(statement)
  }

  func all() -> [Reading] {
    var statement: OpaquePointer?
    sqlite3_prepare_v2(handle, "SELECT * FROM r ORDER BY id", -1, &statement, nil)
    defer { sqlite3_finalize(statement) }
    var found: [Reading] = []
    func text(_ k: Int32) -> String { String(cString: sqlite3_column_text(statement, k)) }
    while sqlite3_step(statement) == SQLITE_ROW {
      found.append(
        Reading(
          id: text(0), name: text(1), place: text(2), celsius: sqlite3_column_double(statement, 3),
          count: Int(sqlite3_column_int64(statement, 4)), isGood: sqlite3_column_int(statement, 5) != 0))
    }
    return found
  }
}

func line(_ what: String, _ ours: Double, _ theirs: Double?, _ unit: String, aim: String) {
  let ratio = theirs.map { String(format: "  %.2f of SQLite's %.2f", ours / $0, $0) } ?? ""
  print(
    what.padding(toLength: 44, withPad: " ", startingAt: 0) + String(format: "%9.2f ", ours) + unit + ratio
      + "  (aim: \(aim))")
}

@main enum Bench {
  static func main() async throws {
    let folder = CommandLine.arguments[1]
    // `bench-kit FOLDER live PLACE` measures only the automatic sync through a container.
    if CommandLine.arguments.count > 3, CommandLine.arguments[2] == "live" {
      return try await sync(through: CommandLine.arguments[3], in: folder)
    }
    let count = CommandLine.arguments.count > 2 ? Int(CommandLine.arguments[2])! : 100_000
    let readings = (0..<count).map { Reading($0) }

    // Many in one transaction, and all of them again.
    let database = try await Database.open(folder + "/sea", creating: "org.example.bench")
    let rows = Rows(folder + "/rows.db")
    var start = cpu()
    try await database.write { transaction in for one in readings { try transaction.save(one) } }
    let written = cpu() - start
    print(String(format: "%d typed records in one transaction: %.2f s of CPU", count, written))
    start = cpu()
    rows.insert(readings)
    print(String(format: "SQLite's C interface, the same rows: %.2f s of CPU", cpu() - start))

    var (ours, theirs): ([Double], [Double]) = ([], [])
    for _ in 0..<5 {
      start = cpu()
      let fetched = try await database.fetch(Reading.all)
      ours.append((cpu() - start) * 1e6 / Double(count))
      precondition(fetched.count == count)
      start = cpu()
      precondition(rows.all().count == count)
      theirs.append((cpu() - start) * 1e6 / Double(count))
    }
    line("fetch as structs, each", median(ours), median(theirs), "us", aim: "3 times")

    // One of them.
    ours = []
    for round in 0..<5 {
      ours.append(
        try await database.read { transaction in
          let start = cpu()
          for n in 0..<20_000 {
            _ = try transaction.fetch(Reading.self, id: readings[(n * 7919 + round) % count].id)!.count
          }
          return (cpu() - start) * 1e6 / 20_000
        })
    }
    line("get one typed record", median(ours), nil, "us", aim: "20 us")
    ours = []
    let clock = ContinuousClock()
    for n in 0..<2000 {
      let begin = clock.now
      _ = try await database.fetch(Reading.self, id: readings[n % count].id)
      ours.append(Double((clock.now - begin).components.attoseconds) / 1e12)
    }
    line("the same from a task, by the clock", median(ours), nil, "us", aim: "-")

    // One that is durable.
    (ours, theirs) = ([], [])
    for n in 0..<200 {
      var begin = clock.now
      try await database.save(Reading(count + n))
      ours.append(Double((clock.now - begin).components.attoseconds) / 1e15)
      begin = clock.now
      rows.insert([Reading(count + n)])
      theirs.append(Double((clock.now - begin).components.attoseconds) / 1e15)
    }
    line("write one, durable, by the clock", median(ours), median(theirs), "ms", aim: "1.3 times")

    // Durable saves of several tasks at the same time, each a block of its own.
    for tasks in [1, 32] {
      let begin = clock.now
      let each = 3200 / tasks
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<tasks {
          group.addTask {
            for n in 0..<each { try await database.save(Reading(2 * count + task * each + n)) }
          }
        }
        try await group.waitForAll()
      }
      let seconds =
        Double((clock.now - begin).components.seconds)
        + Double((clock.now - begin).components.attoseconds) / 1e18
      print(String(format: "durable saves of %d tasks: %.0f a second", tasks, Double(each * tasks) / seconds))
    }

    // A list fills.
    ours = []
    for _ in 0..<5 {
      let begin = clock.now
      let list = LiveList(database, Reading.all.order(by: "celsius").limit(10_000))
      while !list.isLoaded { try await Task.sleep(for: .milliseconds(1)) }
      ours.append(Double((clock.now - begin).components.attoseconds) / 1e15)
    }
    line("a live list of 10,000 fills, by the clock", median(ours), nil, "ms", aim: "500 ms")

    // A list that follows another process; here another connection.
    let other = try await Database.open(folder + "/sea")
    var updates = database.updates(of: Reading.all.order(by: "celsius")).makeAsyncIterator()
    _ = try await updates.next()
    (ours, theirs) = ([], [])
    for n in 0..<50 {
      var one = readings[(n * 104_729) % count]
      one.celsius = Double(n)
      let begin = clock.now
      async let saved: Void = { [one] in _ = try await other.save(one) }()
      _ = try await updates.next()
      ours.append(Double((clock.now - begin).components.attoseconds) / 1e15)
      try await saved
    }
    line("a change in a list of \(count), by the clock", median(ours), nil, "ms", aim: "50 ms")
  }

  /// Saves on one device and waits for the change on another, with an automatic sync on each.
  static func sync(through place: String, in folder: String) async throws {
    let here = try await Database.open(folder + "/here", creating: "org.example.bench")
    try await here.addContainer("c", at: place, creating: true)
    try await here.sync()
    let there = try await Database.clone(place, to: folder + "/there", name: "there")
    // A bucket tells nobody about news: instances look there at an interval.
    let isBucket = place.hasPrefix("s3:")
    let syncs = [here, there].map { $0.automaticSync(every: .seconds(isBucket ? 1 : 60)) }
    for sync in syncs { await sync.start() }
    var changes = there.changes(of: [Reading.self]).makeAsyncIterator()
    // Helpers elsewhere connect first.
    try await Task.sleep(for: .seconds(3))
    let saved = Task {
      try await Task.sleep(for: .seconds(1))
      try await here.save(Reading(0))
    }
    _ = try await changes.next()
    try await saved.value
    let clock = ContinuousClock()
    var times: [Double] = []
    for n in 1...(isBucket ? 20 : 200) {
      let begin = clock.now
      try await here.save(Reading(n))
      _ = try await changes.next()
      times.append(Double((clock.now - begin).components.attoseconds) / 1e15)
    }
    let before = cpu()
    try await Task.sleep(for: .seconds(5))
    let idle = cpu() - before
    for sync in syncs { await sync.stop() }
    line("a save seen by another device, by the clock", median(times), nil, "ms", aim: "50 ms")
    line("95 of 100 of them", times.sorted()[times.count * 95 / 100], nil, "ms", aim: "150 ms")
    line("two idle automatic syncs", idle / 5 * 100, nil, "% of a core", aim: "1 %")
  }
}
