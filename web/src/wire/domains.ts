import { DomainService } from "../gen/hush/v1/domain_service_pb";
import { client } from "./client";

export default client(DomainService);
