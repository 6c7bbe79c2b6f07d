import { IntakeService } from "../gen/hush/v1/intake_service_pb";
import { client } from "./client";

export default client(IntakeService);
