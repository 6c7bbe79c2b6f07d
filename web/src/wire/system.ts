import { SystemService } from "../gen/hush/v1/system_service_pb";
import { client } from "./client";

export default client(SystemService);
