import { RequestService } from "../gen/hush/v1/request_service_pb";
import { client } from "./client";

export default client(RequestService);
