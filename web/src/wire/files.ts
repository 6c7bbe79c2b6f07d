import { FileService } from "../gen/hush/v1/file_service_pb";
import { client } from "./client";

// In JSON a part would be longer by a third.
export default client(FileService, { binary: true });
