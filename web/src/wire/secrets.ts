import { SecretService } from "../gen/hush/v1/secret_service_pb";
import { client } from "./client";

export default client(SecretService);
