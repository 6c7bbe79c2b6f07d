# Hush from a clone: `docker compose up` builds this. The browser client is committed as
# it is served, so no Node is needed. The image of a release is deploy/container/Dockerfile.
FROM golang:1.26 AS build
WORKDIR /src
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-s -w' -o /image/hush ./cmd/hush
# Servers of mail and ACME prove themselves by these. A new volume takes over the owner
# of the data folder.
RUN chmod 0555 /image/hush && install -D -m 0444 /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ca-certificates.crt
RUN install -d -m 0700 /empty/data

FROM scratch
COPY --from=build /image/ /
COPY --from=build --chown=65532:65532 /empty/data /data

# A number, so that Kubernetes can tell that it is not root.
USER 65532:65532
VOLUME /data
ENV HUSH_DATA=/data HUSH_LISTEN=0.0.0.0:7143
EXPOSE 7143

ENTRYPOINT ["/hush"]
CMD ["serve"]
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --retries=3 CMD ["/hush", "healthcheck"]

LABEL org.opencontainers.image.title="Hush" \
      org.opencontainers.image.description="Share a secret once" \
      org.opencontainers.image.licenses="Apache-2.0"
