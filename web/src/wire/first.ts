/*
 * The clients of the first calls of every page. They and what they stand on are
 * one script: vite.config.ts puts all that this file imports into one chunk.
 */
import { SecretService } from "../gen/hush/v1/secret_service_pb";
import { SystemService } from "../gen/hush/v1/system_service_pb";
import { client } from "./client";

export const secrets = client(SecretService);
export const system = client(SystemService);
