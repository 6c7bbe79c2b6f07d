import { AccountService } from "../gen/hush/v1/account_service_pb";
import { client } from "./client";

export default client(AccountService);
