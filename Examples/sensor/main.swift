import SeaKit

/// A measurement.
struct Sample: SeaRecord {
  static let recordType = "sample"
  var id: String
  var time: Timestamp
  var celsius: Double
}

/// Takes samples, and stores a tenth of a second of them in each transaction, which needs only one disk flush.
struct Sensor {
  static let perSecond = 1000
  static let perTransaction = 100

  let database: Database

  func run(seconds: Int) async throws {
    let clock = ContinuousClock()
    let start = clock.now
    let begin = Timestamp.now.milliseconds
    let count = seconds * Sensor.perSecond
    for first in stride(from: 0, to: count, by: Sensor.perTransaction) {
      let due = start + .milliseconds((first + Sensor.perTransaction) * 1000 / Sensor.perSecond)
      try await clock.sleep(until: due)
      try await database.write("samples") { transaction in
        for n in first..<first + Sensor.perTransaction {
          let time = begin + Int64(n * 1000 / Sensor.perSecond)
          // The id contains the time, so samples of a device are ordered, and none is stored twice.
          try transaction.save(
            Sample(id: "t\(time)", time: Timestamp(milliseconds: time), celsius: 20 + Double(n % 50) / 10))
        }
      }
    }
    let took = (clock.now - start).components.seconds
    print("\(count) samples in \(took) s, \(count / Sensor.perTransaction) transactions")
  }
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let seconds = Int(arguments[3]) else {
  fatalError("usage: example-sensor FOLDER STICK SECONDS")
}
do {
  let database = try await Database.open(arguments[1], creating: "org.example.samples", name: "sensor")
  let before = try await database.count(Sample.all)
  try await Sensor(database: database).run(seconds: seconds)
  if try await database.containers().isEmpty {
    try await database.addContainer("stick", at: arguments[2], creating: true)
  }
  let report = try await database.sync("stick")
  if let error = report.outcomes.first?.error { throw error }
  print("handed over to \(arguments[2]): \(report.outcomes[0].pushed) blocks")
  let after = try await database.count(Sample.all)
  print("\(after - before) new samples of \(after)")
  await database.close()
} catch let error as SeaError {
  print("sensor: \(error.message)")
}
