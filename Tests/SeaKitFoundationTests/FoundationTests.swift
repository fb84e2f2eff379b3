import Foundation
import SeaKit
import SeaKitFoundation
import Testing

@Suite struct FoundationTests {
  struct Photo: SeaRecord, Equatable {
    static let recordType = "photo"
    var id = RecordID.new()
    var taken: Date
    var thumbnail: Data
    var source: URL?
    var camera: UUID
    var price: Decimal
    var dates: [Date] = []

    static let taken = Property("taken", \Self.taken)
    static let thumbnail = Property("thumbnail", \Self.thumbnail)
    static let source = Property("source", \Self.source)
    static let camera = Property("camera", \Self.camera)
    static let price = Property("price", \Self.price)
    static let dates = Property("dates", \Self.dates)
  }

  @Test func foundationTypesAreStoredAsMatchingValues() async throws {
    let database = try await Database.inMemory()
    let camera = try #require(UUID(uuidString: "6F9619FF-8B86-D011-B42D-00C04FC964FF"))
    let price = try #require(Decimal(string: "19.90"))
    let photo = Photo(
      id: "p", taken: Date(timeIntervalSince1970: 1_772_368_200.25), thumbnail: Data([1, 2, 255]),
      source: URL(string: "https://example.org/a?b=c"), camera: camera, price: price,
      dates: [Date(timeIntervalSince1970: 0)])
    try await database.save(photo)
    #expect(try await database.fetch(Photo.self, id: "p") == photo)
    let record = try #require(try await database.record("p"))
    #expect(record["taken"] == .date(Timestamp(milliseconds: 1_772_368_200_250)))
    #expect(record["thumbnail"] == .data([1, 2, 255]) && record["camera"] == .string(camera.uuidString.lowercased()))
    #expect(record["source"] == "https://example.org/a?b=c" && record["price"] == .decimal("19.9"))
    #expect(try await database.count(Photo.all.where("taken > \(Date(timeIntervalSince1970: 5))")) == 1)
  }

  struct Picture: SeaRecord {
    static let recordType = "picture"
    var id = "p"
    var content: Asset?
  }

  @Test func assetsAreAddedFromURLsAndHaveURLs() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sea \(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "a picture.txt")
    try Data("content".utf8).write(to: file)
    let database = try await Database.inMemory()
    let picture = try await database.assets.save(Picture(), adding: [\.content: .file(file, mimeType: "text/x")])
    let asset = try #require(picture.content)
    #expect(asset.mimeType == "text/x")
    #expect(try Data(contentsOf: await database.assets.url(of: asset)) == Data("content".utf8))
    let copy = folder.appending(path: "a copy")
    try await database.assets.copy(asset, to: copy)
    #expect(try Data(contentsOf: copy) == Data("content".utf8))
    let other = try #require(URL(string: "https://example.org/a"))
    await #expect(throws: SeaError.self) {
      try await database.assets.save(Picture(), adding: [\.content: .file(other)])
    }
  }

  @Test func errorsAreSentencesForPeople() async throws {
    let database = try await Database.inMemory()
    func error(_ call: () async throws -> Void) async -> (any LocalizedError)? {
      do { try await call() } catch { return error as? any LocalizedError }
      return nil
    }
    let missing = await error { try await database.delete("Abc") }
    #expect(missing?.errorDescription?.hasSuffix(".") == true, "\(String(describing: missing))")
    #expect(missing?.localizedDescription == missing?.errorDescription && missing?.recoverySuggestion == nil)
    try await database.save(Record(type: "t", id: "abc"))
    let stale = await error {
      try await database.write { _ = try $0.save(Record(type: "t", id: "abc"), check: .isNew) }
    }
    // A name is not changed.
    #expect(stale?.errorDescription?.hasPrefix("abc already exists") == true, "\(String(describing: stale))")
    #expect(stale?.recoverySuggestion == "Read the record again, then repeat the change.")
    let nowhere = await error { _ = try await Database.open("/nowhere/at/all") }
    #expect(nowhere?.errorDescription?.hasPrefix("No database") == true, "\(String(describing: nowhere))")
  }

  @Test func foundationTypesCompareInTypedConditions() async throws {
    let database = try await Database.inMemory()
    let taken = Date(timeIntervalSince1970: 1_772_368_200.25)
    let photo = Photo(
      id: "p", taken: taken, thumbnail: Data([1]), source: URL(string: "https://example.org"), camera: UUID(),
      price: 19.5, dates: [taken])
    try await database.save(photo)
    for condition in [
      Photo.taken == taken, Photo.taken > taken - 1, Photo.thumbnail == Data([1]), Photo.camera == photo.camera,
      Photo.source == photo.source, Photo.price == 19.5, Photo.price > 19, Photo.dates.contains(taken),
      [taken].contains(Photo.taken), (taken...taken).contains(Photo.taken),
    ] {
      #expect(try await database.count(Photo.all.where(condition)) == 1)
      #expect(try await database.count(Photo.all.where(!condition)) == 0)
    }
    let row = try #require(try await database.fetch(Photo.all, Photo.taken, Photo.price, Photo.source).first)
    #expect(row.0 == taken && row.1 == 19.5 && row.2 == photo.source)
    #expect(try await database.read { try $0.minimum(of: Photo.taken, in: Photo.all) } == taken)
    #expect(try await database.read { try $0.sum(of: Photo.price, in: Photo.all) } == 19.5)
  }

  @Test func dayOfDateDependsOnTimeZone() throws {
    let day = try #require(Day("2026-03-01"))
    let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
    let midnight = Date(timeIntervalSince1970: 1_772_323_200)
    #expect(Date(day, in: .gmt) == midnight && Date(day, in: berlin) == midnight - 3600)
    #expect(Day(midnight - 3600, in: berlin) == day && Day(midnight - 3601, in: berlin) < day)
    #expect(Day(midnight - 3600, in: .gmt).description == "2026-02-28")
    // In most of these zones, clocks were changed at or near midnight.
    for name in ["America/Sao_Paulo", "Asia/Beirut", "Africa/Cairo", "America/Havana", "Europe/Berlin", "Pacific/Apia"]
    {
      let zone = try #require(TimeZone(identifier: name))
      for number in 14_000..<21_000 {
        let day = Day(daysSince1970: number)
        // Samoa left out a day when it moved across the date line.
        if name == "Pacific/Apia" && day.description == "2011-12-30" { continue }
        let begin = Date(day, in: zone)
        #expect(Day(begin, in: zone) == day && Day(begin - 1, in: zone) < day, "\(name) \(day)")
      }
    }
    #expect(Day(Date(timeIntervalSince1970: 1e300), in: .gmt).description == "9999-12-31")
    #expect(Day(Date(timeIntervalSince1970: -1e300), in: .gmt).description == "0001-01-01")
    let early = try #require(Day("0999-12-31"))
    #expect(Day(Date(early, in: .gmt), in: .gmt) == early)
  }

  @Test func unrepresentableValuesAreNilOrClamped() {
    #expect(Decimal(Value.decimal("1.50")) == Decimal(string: "1.5"))
    #expect(Decimal(Value.decimal("1234567890123456789012345678901234567890.5")) == nil)
    #expect(Date(Value.string("2026-01-01")) == nil && UUID(Value.string("x")) == nil)
    #expect(Timestamp(Date.distantFuture).description.hasPrefix("4001-01-01"))
    #expect(Timestamp(Date(timeIntervalSince1970: 1e300)).description.hasPrefix("9999-12-31"))
  }
}
