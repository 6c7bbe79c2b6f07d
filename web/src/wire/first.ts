/*
 * The clients of the calls that every page makes first. vite.config.ts puts this
 * file and all that it imports into one chunk.
 */
import { SecretService } from "../gen/hush/v1/secret_service_pb";
import { SystemService } from "../gen/hush/v1/system_service_pb";
import { client } from "./client";

export const secrets = client(SecretService);
export const system = client(SystemService);
