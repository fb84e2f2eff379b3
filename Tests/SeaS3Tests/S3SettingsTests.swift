import SeaContainer
import SeaS3
import Testing

@Suite struct S3SettingsTests {
  private func settings(_ variables: [String: String], _ files: [String: String] = [:]) throws -> S3Settings {
    try S3Settings(S3Settings.Surroundings(variable: { variables[$0] }, file: { files[$0] }))
  }

  private let keys = ["AWS_ACCESS_KEY_ID": "ID", "AWS_SECRET_ACCESS_KEY": "secret"]

  @Test func environmentGivesCredentialsAndRegion() throws {
    let found = try settings(keys.merging(["AWS_SESSION_TOKEN": "token", "AWS_DEFAULT_REGION": "eu-west-1"]) { $1 })
    #expect(found.source == .fixed(Credentials(id: "ID", secret: "secret", token: "token")))
    #expect(found.region == "eu-west-1")
    #expect(found.endpoint == .aws)
    #expect(try settings(keys.merging(["AWS_REGION": "a", "AWS_DEFAULT_REGION": "b"]) { $1 }).region == "a")
    #expect(try settings(keys).region == "us-east-1")
    #expect(throws: WireRefusal.self) { try settings(keys.merging(["AWS_REGION": "a/../b"]) { $1 }) }
  }

  private let files = [
    "/home/ada/.aws/credentials": """
    # those of work
    [default]
    aws_access_key_id = SHARED
    aws_secret_access_key = a=b#c ; d
    [program]
    """,
    "/home/ada/.aws/config": """
    [default]
    region = eu-central-1
    endpoint_url = https://s3.example.org
    s3 =
        addressing_style = path
        use_accelerate_endpoint = false
    [profile  program]
    credential_process = "/opt/my tools/keys" --for 'a b' x\\ y
    services = near
    ca_bundle = /etc/near.pem
    [profile role]
    role_arn = arn:aws:iam::1:role/x
    [services near]
    s3 =
      endpoint_url = http://10.1.2.3:9000/base/
    """,
  ]

  @Test func profilesAreReadFromAWSFiles() throws {
    let home = ["HOME": "/home/ada"]
    let found = try settings(home, files)
    #expect(found.source == .fixed(Credentials(id: "SHARED", secret: "a=b#c")))
    #expect(found.region == "eu-central-1")
    #expect(found.endpoint.address(of: "birds", region: "x") == ("s3.example.org", "/birds/"))
    let program = try settings(home.merging(["AWS_PROFILE": "program"]) { $1 }, files)
    #expect(program.source == .program(["/opt/my tools/keys", "--for", "a b", "x y"]))
    #expect(program.endpoint.address(of: "birds", region: "x") == ("10.1.2.3:9000", "/base/birds/"))
    #expect(program.authorities == "/etc/near.pem")
    let elsewhere = try settings(
      ["AWS_SHARED_CREDENTIALS_FILE": "/k", "AWS_CONFIG_FILE": "/c", "AWS_PROFILE": "p"],
      ["/k": "[p]\naws_access_key_id=1\naws_secret_access_key=2\naws_session_token=3", "/c": "[profile p]\nregion=r"])
    #expect(elsewhere.source == .fixed(Credentials(id: "1", secret: "2", token: "3")))
    #expect(elsewhere.region == "r")
  }

  @Test func environmentOverridesProfiles() throws {
    let found = try settings(
      keys.merging(["HOME": "/home/ada", "AWS_ENDPOINT_URL": "http://a", "AWS_ENDPOINT_URL_S3": "http://b"]) { $1 },
      files)
    #expect(found.source == .fixed(Credentials(id: "ID", secret: "secret")))
    #expect(found.endpoint.host == "b")
    let ignoring = ["HOME": "/home/ada", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"]
    #expect(try settings(ignoring, files).endpoint.isAWS)
  }

  @Test(arguments: ["role", "missing", "near"]) func unusableProfileIsNamedInError(name: String) {
    let fault = #expect(throws: WireRefusal.self) { try settings(["HOME": "/home/ada", "AWS_PROFILE": name], files) }
    #expect(fault?.code == .denied)
    #expect(fault?.text.contains("'\(name)'") == true)
  }

  @Test func missingCredentialsAreReported() {
    let fault = #expect(throws: WireRefusal.self) { try settings([:]) }
    #expect(fault?.text.contains("AWS_ACCESS_KEY_ID") == true)
  }

  @Test(arguments: [
    ("http://127.0.0.1:9000", "b", "127.0.0.1:9000", "/b/"), ("https://localhost", "b", "localhost", "/b/"),
    ("http://[::1]:9000/", "b", "[::1]:9000", "/b/"), ("http://minio:9000", "b", "minio:9000", "/b/"),
    ("https://s3.example.org:443", "birds", "birds.s3.example.org", "/"),
    ("HTTP://S3.Example.org:80", "b-1", "b-1.s3.example.org", "/"),
    ("https://s3.example.org", "my.birds", "s3.example.org", "/my.birds/"),
    ("http://s3.example.org", "my.birds", "my.birds.s3.example.org", "/"),
    ("https://s3.example.org", "Birds", "s3.example.org", "/Birds/"),
    ("https://x.org/storage/s3", "b", "b.x.org", "/storage/s3/"),
  ]) func endpointAndBucketGiveHostAndPath(url: String, bucket: String, host: String, path: String) throws {
    #expect(try #require(Endpoint(url)).address(of: bucket, region: "r") == (host, path))
  }

  @Test func awsRegionGivesHostAndPath() {
    #expect(Endpoint.aws.address(of: "birds", region: "eu-west-1") == ("birds.s3.eu-west-1.amazonaws.com", "/"))
    #expect(Endpoint.aws.address(of: "my.birds", region: "eu-west-1") == ("s3.eu-west-1.amazonaws.com", "/my.birds/"))
    #expect(Endpoint.aws.address(of: "birds", region: "cn-north-1") == ("birds.s3.cn-north-1.amazonaws.com.cn", "/"))
  }

  @Test(arguments: [
    "", "s3.example.org", "ftp://a", "http://", "http://ada:word@host", "http://host/?a=b", "http://host\r\nx: y",
    "http://ho st",
  ])
  func invalidEndpointsAreRefused(url: String) { #expect(Endpoint(url) == nil) }

  @Test func locationsAreSplitIntoBucketAndPrefix() throws {
    #expect(S3Location("s3://birds")?.prefix == "")
    #expect(S3Location("s3://birds/")?.prefix == "")
    let place = try #require(S3Location("s3://birds/a b/+ü~"))
    #expect(place.bucket == "birds" && place.prefix == "a b/+ü~/")
    #expect(place.key("info.json") == "a b/+ü~/info.json")
    #expect(place.path("a b/+ü~/heads/x") == "heads/x")
    #expect(place.path("a b/+ü~/") == nil && place.path("other/x") == nil && place.path("a b/+ü~/../x") == nil)
  }

  @Test(arguments: [
    "s3:birds", "s3://", "s3:///x", "s3://ab", "s3://a b c", "s3://birds/../x", "s3://birds//x", "s3://birds/a//b",
    "s3://.birds", "s3://bi..rds", "s3://birds/a\nb", "s3://ada@host/x",
  ])
  func invalidLocationsAreRefused(text: String) { #expect(S3Location(text) == nil) }

  @Test func credentialProgramOutputIsParsed() {
    let text =
      #"{"Version":1,"AccessKeyId":"A","SecretAccessKey":"B","SessionToken":"C","Expiration":"2026-01-02T03:04:05Z"}"#
    #expect(CredentialSource.parse(text) == Credentials(id: "A", secret: "B", token: "C", ends: 1_767_323_045_000))
    for bad in [
      "", "{}", #"{"Version":2,"AccessKeyId":"A","SecretAccessKey":"B"}"#, #"{"Version":1,"AccessKeyId":"A"}"#, "[1]",
    ] {
      #expect(CredentialSource.parse(bad) == nil)
    }
    #expect(CredentialSource.words("a 'b") == nil && CredentialSource.words("a\\") == nil)
    #expect(CredentialSource.words("a ''  \"b\\\"c\"") == ["a", "", "b\"c"])
  }

  @Test func credentialsMustBeNonemptyAndOneLine() {
    #expect(!Credentials(id: "a\r\nx: y", secret: "s").isSendable)
    #expect(!Credentials(id: "a", secret: "s", token: "t\n").isSendable)
    #expect(!Credentials(id: "a", secret: "").isSendable)
    #expect(Credentials(id: "a", secret: "s p", token: "t/+=").isSendable)
  }
}
