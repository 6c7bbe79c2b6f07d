import { SessionService } from "../gen/hush/v1/session_service_pb";
import { client } from "./client";

export default client(SessionService);
