import SeaKit

struct Cuisine: SeaRecord {
  static let recordType = "cuisine"
  var id: String
  var name: String
}

struct Recipe: SeaRecord {
  static let recordType = "recipe"
  var id: String
  var title: String
  var servings: Int?
  var created: Timestamp?
  var cuisine: Reference<Cuisine>?
  var tags = MergeSet<String>()
  var photo: Asset?
}

/// An ingredient. It refers to its recipe, as in the store.
struct Ingredient: SeaRecord {
  static let recordType = "ingredient"
  var id: String
  var name: String
  var amount: String?
  var recipe: Reference<Recipe>
}

/// Imports a Core Data store. Ids are derived from its keys, so a second run updates the same records if they differ.
struct Import {
  let store: ZStore
  /// The folder of the photographs that the store refers to.
  let photos: String
  let database: Database

  func run() async throws {
    let before = try await database.position()
    let recipes = try store.rows("ZRECIPE")
    let (cuisines, ingredients, tags) = (
      try store.rows("ZCUISINE"), try store.rows("ZINGREDIENT"), try tagsOfRecipes()
    )
    // The contents are read before the write lock is taken. Existing contents are stored only once.
    var contents: [String: AssetContent] = [:]
    for row in recipes {
      if let photo = row["ZPHOTO"] { contents[row.key] = .file("\(photos)/\(photo)") }
    }
    try await database.assets.write(contents, label: "import") { transaction, assets in
      for row in cuisines {
        try transaction.save(Cuisine(id: "cuisine-\(row.key)", name: row["ZNAME"] ?? ""))
      }
      for row in recipes {
        let id = "recipe-\(row.key)"
        // Tags that others have added stay, because a set records its own changes.
        var recipe = try transaction.fetch(Recipe.self, id: id) ?? Recipe(id: id, title: "")
        recipe.title = row["ZTITLE"] ?? ""
        recipe.servings = row.int("ZSERVINGS")
        recipe.created = row.milliseconds("ZCREATED").map { Timestamp(milliseconds: $0) }
        recipe.cuisine = row["ZCUISINE"].map { Reference("cuisine-\($0)") }
        recipe.photo = assets[row.key]
        for tag in tags[row.key] ?? [] where !recipe.tags.contains(tag) { recipe.tags.insert(tag) }
        try transaction.save(recipe)
      }
      for row in ingredients {
        guard let recipe = row["ZRECIPE"] else { continue }
        try transaction.save(
          Ingredient(
            id: "ingredient-\(row.key)", name: row["ZNAME"] ?? "", amount: row["ZAMOUNT"],
            recipe: Reference("recipe-\(recipe)")))
      }
    }
    let total = recipes.count + cuisines.count + ingredients.count
    print("\(total) records\(try await database.position() == before ? ", nothing new" : "")")
  }

  /// A many-to-many relationship is a table of two keys, named after the numbers of the entities.
  private func tagsOfRecipes() throws -> [String: [String]] {
    let names = Dictionary(try store.rows("ZTAG").map { ($0.key, $0["ZNAME"] ?? "") }, uniquingKeysWith: { $1 })
    let entities = try store.rows("Z_PRIMARYKEY", by: "Z_ENT")
    func number(_ name: String) -> String { entities.first { $0["Z_NAME"] == name }?["Z_ENT"] ?? "0" }
    let (recipe, tag) = (number("Recipe"), number("Tag"))
    var found: [String: [String]] = [:]
    for row in try store.rows("Z_\(recipe)TAGS", by: "1, 2") {
      guard let key = row["Z_\(recipe)RECIPES"], let name = row["Z_\(tag)TAGS"].flatMap({ names[$0] }) else { continue }
      found[key, default: []].append(name)
    }
    return found
  }
}

let arguments = CommandLine.arguments
guard arguments.count == 4 else { fatalError("usage: example-recipes STORE.sqlite PHOTOS FOLDER") }
do {
  let database = try await Database.open(arguments[3], creating: "org.example.recipes", name: "import")
  let store = try ZStore(arguments[1])
  try await Import(store: store, photos: arguments[2], database: database).run()
  await database.close()
} catch let error as SeaError {
  print("recipes: \(error.message)")
} catch let error as ZStore.Failure {
  print("recipes: \(error.message)")
}
