//! What a client of rmcp does with the faults of a server: the rmcp column of
//! session/check/compat.
//!
//!     lens CASES -- CMD ARGS…
//!
//! CASES is a file of cases, {"fault", "in"}. For each of them the server CMD ARGS
//! FAULT is started, and asked for what the fault is in; what came of it is printed
//! on stdout, all as one JSON object. rmcp has no error handler: nothing that it
//! skips is reported.
use std::{sync::Arc, time::Duration};

use rmcp::{
    model::{CallToolRequestParams, ClientRequest, PingRequest, ProtocolVersion},
    service::{ClientLifecycleMode, ClientServiceExt},
    transport::TokioChildProcess,
};
use serde_json::{Value, json};
use tokio::{process::Command, sync::Semaphore, task::LocalSet, time::timeout};

const VERSION: &str = "3.11.0"; // as in Cargo.toml
const GRACE: Duration = Duration::from_secs(20); // for what perhaps never comes
const PATIENCE: Duration = Duration::from_secs(60); // for what must come

fn state<T, E: std::fmt::Display>(r: Option<Result<T, E>>) -> (&'static str, Value) {
    match r {
        None => ("open", Value::Null),
        Some(Ok(_)) => ("kept", Value::Null),
        Some(Err(e)) => ("broken", e.to_string().into()),
    }
}

async fn measure(fault: String, place: String, argv: Vec<String>) -> Value {
    let mut command = Command::new(&argv[0]);
    command.args(&argv[1..]).arg(&fault);
    let transport = TokioChildProcess::new(command).expect("starting the server");
    let probe = place == "server/discover";
    let mode = if probe {
        ClientLifecycleMode::Auto { preferred_versions: vec![ProtocolVersion::LATEST], legacy_version: None }
    } else {
        ClientLifecycleMode::Initialize
    };
    let client = match timeout(PATIENCE, ().serve_with_lifecycle(transport, mode)).await {
        Err(_) => return json!({"call": "open", "message": "the handshake did not end"}),
        Ok(Err(e)) => return json!({"call": "broken", "message": e.to_string()}),
        Ok(Ok(client)) => client,
    };
    let (asked, later) = (client.peer().clone(), client.peer().clone());
    let mut call = tokio::task::spawn_local(async move {
        if place == "tools/call" {
            asked.call_tool(CallToolRequestParams::new("echo")).await.map(|_| ())
        } else {
            asked.list_tools(None).await.map(|_| ())
        }
    });
    tokio::task::yield_now().await;
    let after = timeout(GRACE, async {
        if probe {
            later.list_tools(None).await.map(|_| ())
        } else {
            later.send_request(ClientRequest::PingRequest(PingRequest::default())).await.map(|_| ())
        }
    })
    .await;
    let call = timeout(Duration::from_secs(2), &mut call).await;
    let (call, message) = state(call.ok().map(|joined| joined.expect("asking")));
    let (after, _) = state(after.ok());
    json!({"call": call, "alive": after == "kept", "closed": client.is_transport_closed(), "message": message})
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[1]).expect("reading the cases");
    let cases: Vec<Value> = serde_json::from_str(&text).expect("the cases");
    let limit = Arc::new(Semaphore::new(12));
    let results = LocalSet::new()
        .run_until(async {
            let mut running = Vec::new();
            for case in cases {
                let (fault, place) = (case["fault"].as_str().unwrap().to_string(), case["in"].as_str().unwrap().to_string());
                let (limit, argv) = (limit.clone(), args[3..].to_vec());
                running.push((fault.clone(), tokio::task::spawn_local(async move {
                    let _turn = limit.acquire().await.unwrap();
                    measure(fault, place, argv).await
                })));
            }
            let mut results = serde_json::Map::new();
            for (fault, run) in running {
                results.insert(fault, run.await.expect("measuring"));
            }
            results
        })
        .await;
    println!("{}", json!({"version": VERSION, "results": results}));
    std::process::exit(0); // whatever a server left behind
}
