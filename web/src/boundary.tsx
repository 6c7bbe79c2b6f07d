import { Component, type ComponentChildren } from "preact";
import { t } from "./i18n";
import { report } from "./report";
import { Button, Notice } from "./ui";

/** ErrorBoundary keeps an error in a page from breaking the header and the footer. */
export class ErrorBoundary extends Component<{ children: ComponentChildren }, { broken: boolean }> {
  override state = { broken: false };

  override componentDidCatch(error: unknown): void {
    report(error);
    this.setState({ broken: true });
  }

  override render() {
    if (!this.state.broken) {
      return this.props.children;
    }
    return (
      <div class="page">
        <Notice kind="bad">
          <p>{t("problem.internal")}</p>
          <Button onClick={() => location.reload()}>{t("app.reload")}</Button>
        </Notice>
      </div>
    );
  }
}
