import { ColonelService } from "../gen/hush/v1/colonel_service_pb";
import { client } from "./client";

export default client(ColonelService);
