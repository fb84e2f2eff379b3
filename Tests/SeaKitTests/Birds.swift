import SeaKit

/// What these tests keep: with a property of every kind.
struct Bird: SeaRecord, Equatable {
  static let recordType = "bird"

  enum Plumage: String, Codable { case dull, bright }
  struct Nest: Codable, Equatable {
    var height: Double
    var eggs: [Int]
  }

  var id = RecordID.new()
  var name: String
  var seen: Counter = 0
  var weight: ExactDecimal?
  var plumage = Plumage.dull
  var tags = MergeSet<String>()
  var nest: Nest?
  var first: Timestamp?
  var feather: [UInt8]?
  var owner: Reference<Keeper>?
  var isRare = false
  var notes: [String: String] = [:]
  var phone: Labeled<String>?

  enum CodingKeys: String, CodingKey {
    case id, name, seen, weight, plumage, tags, nest, first, feather, owner, isRare = "rare", notes, phone
  }
}

struct Keeper: SeaRecord, Equatable {
  static let recordType = "keeper"
  var id = RecordID.new()
  var name: String
}

/// Two of them have a name, and one says more than the other.
class Animal: Codable {
  var name: String
  init(name: String) { self.name = name }
}

final class Dog: Animal, SeaRecord, @unchecked Sendable {
  static let recordType = "dog"
  let id: String
  let age: Int

  init(id: String, name: String, age: Int) {
    self.id = id
    self.age = age
    super.init(name: name)
  }

  private enum CodingKeys: String, CodingKey { case id, age }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(String.self, forKey: .id)
    age = try container.decode(Int.self, forKey: .age)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(age, forKey: .age)
    try super.encode(to: container.superEncoder())
  }
}
