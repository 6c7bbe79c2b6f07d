import type { Duration } from "@bufbuild/protobuf/wkt";
import { dateOf } from "../format";
import { type Node, NodeWork } from "../gen/hush/v1/colonel_service_pb";
import { number } from "../i18n";
import { t } from "../i18n/colonel";
import { Card, Relative } from "../ui";

/** Nodes lists the processes that share the store. It shows nothing for a store of one process. */
export function Nodes({ nodes }: { nodes: Node[] }) {
  if (nodes.length === 0) {
    return null;
  }
  return (
    <Card title={t("colonel.nodes")}>
      <div class="table-scroll" role="region" aria-label={t("colonel.nodes")} tabIndex={0}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{t("colonel.node.name")}</th>
              <th scope="col">{t("colonel.node.version")}</th>
              <th scope="col">{t("colonel.node.start")}</th>
              <th scope="col">{t("colonel.node.heartbeat")}</th>
              <th scope="col" class="table-number">
                {t("colonel.node.clock")}
              </th>
              <th scope="col">{t("colonel.node.works")}</th>
            </tr>
          </thead>
          <tbody>
            {nodes.map((node) => (
              <Row key={node.number} node={node} />
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

function Row({ node }: { node: Node }) {
  const [started, seen] = [dateOf(node.startTime), dateOf(node.heartbeatTime)];
  return (
    <tr>
      <th scope="row">
        <div class="row">
          <span class="account-address">
            {node.number} <bdi>{node.name}</bdi>
          </span>
          {node.responding && <span class="badge badge-accent">{t("colonel.node.this")}</span>}
          {!node.live && <span class="badge badge-bad">{t("colonel.node.silent")}</span>}
        </div>
      </th>
      <td data-label={t("colonel.node.version")}>{node.version}</td>
      <td data-label={t("colonel.node.start")}>{started && <Relative date={started} />}</td>
      <td data-label={t("colonel.node.heartbeat")}>{seen && <Relative date={seen} />}</td>
      <td class="table-number" data-label={t("colonel.node.clock")}>
        {t("colonel.node.offset", { offset: offsetOf(node.clockOffset) })}
      </td>
      <td data-label={t("colonel.node.works")}>
        {worksOf(node) || <span class="muted">{t("colonel.node.no_works")}</span>}
      </td>
    </tr>
  );
}

/** offsetOf formats seconds with their sign: how far the store's clock is ahead. */
export function offsetOf(offset: Duration | undefined): string {
  const seconds = Number(offset?.seconds ?? 0) + (offset?.nanos ?? 0) / 1e9;
  return number(seconds, { maximumFractionDigits: 3, signDisplay: "exceptZero" });
}

function worksOf(node: Node): string {
  const names: Record<number, string> = {
    [NodeWork.SWEEP]: t("colonel.node.sweep"),
    [NodeWork.MAIL]: t("colonel.node.mail"),
    [NodeWork.DOMAINS]: t("colonel.node.domains"),
  };
  return node.works.flatMap((work) => names[work] ?? []).join(", ");
}
