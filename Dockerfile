# The image holds the program, certificate authorities, and an empty data folder.
# `make image` lays the files out first, so that a build needs no other image.
FROM scratch

ARG TARGETARCH
COPY .tmp/image/$TARGETARCH/ /
COPY --chown=65532:65532 .tmp/image/data /data

# A number, so that Kubernetes can tell that it is not root.
USER 65532:65532
VOLUME /data
ENV HUSH_DATA=/data HUSH_LISTEN=0.0.0.0:7143
EXPOSE 7143

ENTRYPOINT ["/hush"]
CMD ["serve"]
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --retries=3 CMD ["/hush", "healthcheck"]

ARG VERSION=unreleased
LABEL org.opencontainers.image.title="Hush" \
      org.opencontainers.image.description="Share a secret once" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION"
