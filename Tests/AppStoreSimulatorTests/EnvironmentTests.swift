import AppStore
import HTTPTypes
import JSON
import Testing

@testable import AppStoreSimulator

@Suite("One simulator", .timeLimit(.minutes(5))) struct EnvironmentTests {
  @Test("can stand for both environments, each with its own purchases") func both() throws {
    let stage = try Stage {
      $0.productionPort = 0
      $0.appAppleId = 1_234_567_890
    }
    let port = try #require(stage.productionPort)
    _ = try stage.call(.put, "/simulator/v1/transactions/1")
    let told = try stage.call(
      .post, "/simulator/v1/refund-requests", ["transaction": "2", "environment": "Production"])
    #expect(told.status == 200)
    #expect(try stage.notifications().last?.identity.environment == .production)
    #expect(try stage.answer("1").status == 202)
    #expect(try stage.answer("1", port: port).status == 404)
    #expect(try stage.answer("2").status == 404)
    #expect(try stage.answer("2", port: port).status == 202)
  }

  @Test("takes answers of every app of the account, each for its own purchases") func apps() throws {
    let stage = try Stage { $0.furtherBundleIds = ["com.example.second"] }
    _ = try stage.call(.put, "/simulator/v1/transactions/1")
    _ = try stage.call(.post, "/simulator/v1/refund-requests", ["transaction": "2", "bundleId": "com.example.second"])
    let second = try stage.authorization(bundleId: "com.example.second")
    #expect(try stage.answer("2", authorization: second).status == 202)
    #expect(try stage.answer("2").status == 404)
    #expect(try stage.answer("1", authorization: second).status == 404)
    #expect(try stage.answer("1", authorization: stage.authorization(bundleId: "com.example.third")).status == 401)
  }
}
