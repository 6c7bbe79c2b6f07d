import { ChallengeService } from "../gen/hush/v1/challenge_service_pb";
import { client } from "./client";

export default client(ChallengeService);
