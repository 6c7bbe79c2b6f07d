import { MetadataService } from "../gen/hush/v1/metadata_service_pb";
import { client } from "./client";

export default client(MetadataService);
